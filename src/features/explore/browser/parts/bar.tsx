/** A share as a bar that is as wide as its place. */
export function Bar({ share }: { share: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width={100 * share} height="4" />
    </svg>
  );
}
