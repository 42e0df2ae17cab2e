import { useEffect, useState } from 'preact/hooks'

/** Returns a value after it has not changed for a while, so that a pause in typing sends one request. */
export function useDebounced(value: string, delayMs = 500): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setDebounced(value), delayMs)
    return () => window.clearTimeout(timer)
  }, [value])
  return debounced
}
