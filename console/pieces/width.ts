import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** How wide a place is, in px, also when that changes; 0 before it is known. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const look = () => setWidth(place.current!.clientWidth)
    const observer = new ResizeObserver(look)
    look()
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
  return [place, width]
}
