import type { Now } from '#lib/clock.ts'

/** How an attempt at an endpoint went, as far as its health goes. */
export type Sign =
  | { kind: 'ok' }
  | { kind: 'trouble' }
  | { kind: 'rate_limited'; retryAfterMs: number | undefined }
  /** The attempt was given up for reasons that are not the endpoint's. */
  | { kind: 'unknown' }

/**
 * One circuit per endpoint. Repeated trouble, or an upstream's `Retry-After`, opens it; when the time is over one
 * request at a time may probe, and its success closes the circuit.
 */
export type Circuits = {
  /** Whether the endpoint must not be asked now. */
  isOpen: (endpoint: string) => boolean
  /** Trouble within the last 30 seconds, which puts an endpoint last. */
  isTroubled: (endpoint: string) => boolean
  /** Takes the one probe of a half-open circuit; false when somebody else has it. */
  admit: (endpoint: string) => boolean
  report: (endpoint: string, sign: Sign) => void
  /** When the earliest of these may be asked again, in milliseconds from now; undefined when one may be asked now. */
  waitMs: (endpoints: string[]) => number | undefined
}

type Circuit = { failures: number; troubledUntil: number; openUntil: number; probing: boolean }

const troubleMs = 30_000
const failuresToOpen = 5
const firstOpenMs = 5_000
const longestOpenMs = 60_000
const longestRetryAfterMs = 10 * 60_000

export function createCircuits({ now }: { now: Now }): Circuits {
  const circuits = new Map<string, Circuit>()
  const circuitOf = (endpoint: string): Circuit => {
    const known = circuits.get(endpoint)
    if (known) return known
    const fresh = { failures: 0, troubledUntil: 0, openUntil: 0, probing: false }
    circuits.set(endpoint, fresh)
    return fresh
  }
  const isOpen = (endpoint: string) => {
    const circuit = circuits.get(endpoint)
    return circuit !== undefined && (circuit.openUntil > now() || (circuit.probing && circuit.openUntil > 0))
  }

  return {
    isOpen,
    isTroubled: (endpoint) => (circuits.get(endpoint)?.troubledUntil ?? 0) > now(),
    admit(endpoint) {
      const circuit = circuits.get(endpoint)
      if (!circuit || circuit.openUntil === 0) return true
      if (isOpen(endpoint)) return false
      circuit.probing = true
      return true
    },
    report(endpoint, sign) {
      if (sign.kind === 'ok' && !circuits.has(endpoint)) return
      const circuit = circuitOf(endpoint)
      circuit.probing = false
      if (sign.kind === 'unknown') return
      if (sign.kind === 'ok') {
        circuit.failures = 0
        circuit.openUntil = 0
        return
      }
      circuit.failures++
      circuit.troubledUntil = now() + troubleMs
      circuit.openUntil = Math.max(circuit.openUntil, now() + openFor(circuit, sign))
      if (circuit.openUntil <= now()) circuit.openUntil = 0
    },
    waitMs(endpoints) {
      const waits = endpoints.map((endpoint) =>
        isOpen(endpoint) ? Math.max(1, (circuits.get(endpoint)?.openUntil ?? 0) - now()) : 0,
      )
      const least = Math.min(...waits)
      return least > 0 && Number.isFinite(least) ? least : undefined
    },
  }
}

/** How long an endpoint is left alone after a failure: as it asked, or twice as long with each failure in a row. */
function openFor(circuit: Circuit, sign: Sign): number {
  if (sign.kind === 'rate_limited' && sign.retryAfterMs !== undefined)
    return Math.min(sign.retryAfterMs, longestRetryAfterMs)
  if (circuit.failures < failuresToOpen) return 0
  return Math.min(firstOpenMs * 2 ** (circuit.failures - failuresToOpen), longestOpenMs)
}
