/** Made-up calls of the demo. */
export const DEMO_CALLS = 5000;
