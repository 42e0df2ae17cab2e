import { useEffect, useState } from 'preact/hooks'

/** So long nothing is typed before the service is asked. */
const delayMs = 500

/** A value, once it has stayed the same for a while. */
export function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setDebounced(value), delayMs)
    return () => window.clearTimeout(timer)
  }, [value])
  return debounced
}
