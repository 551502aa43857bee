import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface MenuProps {
  label: ComponentChildren;
  /** The dimension that it chooses values of. */
  filter?: string;
  isMarked?: boolean;
  children: ComponentChildren;
  onOpen?: (isOpen: boolean) => void;
}

/** A button that opens a panel. Escape, and what is chosen elsewhere, close it. */
export function Menu({ label, filter, isMarked = false, children, onOpen }: MenuProps) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const { current } = element;
      if (!current?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== "Escape") return;
        current.querySelector("summary")?.focus();
      } else if (event.target instanceof Node && current.contains(event.target)) return;
      current.open = false;
    };
    for (const kind of ["keydown", "pointerdown", "focusin"]) document.addEventListener(kind, close);
    return () => {
      for (const kind of ["keydown", "pointerdown", "focusin"]) document.removeEventListener(kind, close);
    };
  }, []);
  return (
    <details
      class="menu"
      data-filter={filter}
      ref={element}
      onToggle={({ currentTarget }) => onOpen?.(currentTarget.open)}
    >
      <summary class={isMarked ? "marked" : ""}>{label}</summary>
      <div class="panel">{children}</div>
    </details>
  );
}
