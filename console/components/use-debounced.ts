import { useEffect, useState } from 'preact/hooks'

/** So long nothing is typed before the service is asked. */
const pauseMs = 500

/** A value, once it has stayed the same for a while. */
export function usePaused(value: string): string {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setPaused(value), pauseMs)
    return () => window.clearTimeout(timer)
  }, [value])
  return paused
}
