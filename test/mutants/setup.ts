import fc from "fast-check";
import "../support/seed.ts";

// What fails is not made smaller first, which takes most of the time of a mutant.
process.env.CALLTALLY_WARM = "here";
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
