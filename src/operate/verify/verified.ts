/** One thing that was checked. */
export interface VerifyCheck {
  name: string;
  holds: boolean;
  message: string;
}

export const holds = (name: string, message: string): VerifyCheck => ({ name, holds: true, message });
export const fails = (name: string, message: string): VerifyCheck => ({ name, holds: false, message });
