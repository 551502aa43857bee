import fc from "fast-check";
import "../support/seed.ts";

process.env.CALLTALLY_WARM = "here";
// What fails is not made smaller first, which takes most of the time of a mutant.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
