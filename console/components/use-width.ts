import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { textScale } from './text-size.ts'

/** How wide a place is, in px of the usual text size, also when that changes; 0 before it is known. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = place.current
    // Who leaves the screen at once is gone before it is looked at.
    if (!element) return
    const look = () => setWidth(element.clientWidth / textScale)
    const observer = new ResizeObserver(look)
    look()
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [place, width]
}
