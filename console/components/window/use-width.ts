import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { textScale } from './text-size.ts'

/** The width of an element, in px of the default text size; 0 before it is measured. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const elementRef = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = elementRef.current
    // The component may be unmounted already.
    if (!element) return
    const update = () => setWidth(element.clientWidth / textScale)
    const observer = new ResizeObserver(update)
    update()
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [elementRef, width]
}
