import fc from "fast-check";
import "../support/seed.ts";

process.env.CALLTALLY_WARM = "here";
// Failures are not shrunk, which would take most of the time of a mutant.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
