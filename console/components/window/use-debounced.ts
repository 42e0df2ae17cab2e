import { useEffect, useState } from 'preact/hooks'

/** The pause in typing after which a request is sent, in milliseconds. */
const delayMs = 500

/** Returns a value after it has not changed for a while. */
export function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setDebounced(value), delayMs)
    return () => window.clearTimeout(timer)
  }, [value])
  return debounced
}
