import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface ChartProps {
  draw: (width: number) => string;
  /** Receives where the pointer is, in pixels; undefined when it has left. */
  onPoint?: (place: Place | undefined) => void;
  onChoose?: (place: Place) => void;
}

interface Place {
  x: number;
  y: number;
  /** Of the chart. */
  width: number;
}

/** An SVG text as an element as wide as its place. Only a pointer can choose in it: the same must be offered as text. */
export function Chart({ draw, onPoint, onChoose }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    setWidth(current.clientWidth);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (width === 0) return;
    const svg = new DOMParser().parseFromString(draw(width), "image/svg+xml").documentElement;
    place.current?.replaceChildren(document.importNode(svg, true));
  }, [draw, width]);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const placeOf = ({ clientX, clientY }: MouseEvent): Place => {
      const { left, top, width } = current.getBoundingClientRect();
      return { x: clientX - left, y: clientY - top, width };
    };
    const listeners = {
      pointermove: (event: PointerEvent) => onPoint?.(placeOf(event)),
      pointerleave: () => onPoint?.(undefined),
      click: (event: MouseEvent) => onChoose?.(placeOf(event)),
    };
    current.addEventListener("pointermove", listeners.pointermove);
    current.addEventListener("pointerleave", listeners.pointerleave);
    current.addEventListener("click", listeners.click);
    return () => {
      current.removeEventListener("pointermove", listeners.pointermove);
      current.removeEventListener("pointerleave", listeners.pointerleave);
      current.removeEventListener("click", listeners.click);
    };
  }, [onPoint, onChoose]);
  return <div class={onChoose ? "chart choosable" : "chart"} ref={place} />;
}
