import type { Now } from '#lib/clock.ts'

/** How an attempt at an endpoint went, as far as its health goes. */
export type Sign =
  | { kind: 'ok' }
  /** `retryAfterMs`: how long the upstream asked to be left alone. */
  | { kind: 'trouble'; retryAfterMs?: number | undefined }
  /** The attempt was given up for reasons that are not the endpoint's. */
  | { kind: 'unknown' }

/** Leave to make one attempt. Told how it went; whatever is told after the first time is ignored. */
export type Pass = (sign: Sign) => void

/**
 * One circuit per endpoint. Repeated trouble, or an upstream's `Retry-After`, opens it; when the time is over one
 * request at a time may probe. Its success closes the circuit, its failure opens it again.
 */
export type Circuits = {
  /** Whether the endpoint must not be asked now. */
  isOpen: (endpoint: string) => boolean
  /** Trouble within the last 30 seconds, which puts an endpoint last. */
  isTroubled: (endpoint: string) => boolean
  /** Undefined when the endpoint must not be asked now, or somebody else has the one probe of its half-open circuit. */
  admit: (endpoint: string) => Pass | undefined
  /** When the earliest of these may be asked again, in milliseconds from now; undefined when one may be asked now. */
  waitMs: (endpoints: string[]) => number | undefined
}

/** `openUntil` 0: closed. In the past: half-open. */
type Circuit = { failures: number; troubledUntil: number; openUntil: number; probing: boolean }

const troubleMs = 30_000
const failuresToOpen = 5
const firstOpenMs = 5_000
const longestOpenMs = 60_000
const longestRetryAfterMs = 10 * 60_000

export function createCircuits({ now }: { now: Now }): Circuits {
  const circuits = new Map<string, Circuit>()
  const isOpen = (endpoint: string) => {
    const circuit = circuits.get(endpoint)
    return circuit !== undefined && circuit.openUntil > 0 && (circuit.openUntil > now() || circuit.probing)
  }

  function pass(endpoint: string, probe: Circuit | undefined): Pass {
    let told = false
    return (sign) => {
      if (told) return
      told = true
      if (probe) probe.probing = false
      if (sign.kind === 'ok') recover(endpoint, probe !== undefined)
      if (sign.kind === 'trouble') note(endpoint, sign, probe !== undefined)
    }
  }

  /** Only a probe closes a circuit: what was asked before it opened says nothing of now. */
  function recover(endpoint: string, wasProbe: boolean): void {
    const circuit = circuits.get(endpoint)
    if (!circuit || (circuit.openUntil > 0 && !wasProbe)) return
    circuit.failures = 0
    circuit.openUntil = 0
    if (circuit.troubledUntil <= now()) circuits.delete(endpoint)
  }

  function note(endpoint: string, sign: Extract<Sign, { kind: 'trouble' }>, wasProbe: boolean): void {
    const fresh = { failures: 0, troubledUntil: 0, openUntil: 0, probing: false }
    const circuit = circuits.getOrInsert(endpoint, fresh)
    circuit.failures++
    circuit.troubledUntil = now() + troubleMs
    const openMs = openFor(circuit, sign, wasProbe)
    if (openMs > 0) circuit.openUntil = Math.max(circuit.openUntil, now() + openMs)
  }

  return {
    isOpen,
    isTroubled: (endpoint) => (circuits.get(endpoint)?.troubledUntil ?? 0) > now(),
    admit(endpoint) {
      const circuit = circuits.get(endpoint)
      if (!circuit || circuit.openUntil === 0) return pass(endpoint, undefined)
      if (isOpen(endpoint)) return undefined
      circuit.probing = true
      return pass(endpoint, circuit)
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
function openFor(circuit: Circuit, { retryAfterMs }: Extract<Sign, { kind: 'trouble' }>, wasProbe: boolean): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, longestRetryAfterMs)
  if (circuit.failures < failuresToOpen) return wasProbe ? firstOpenMs : 0
  return Math.min(firstOpenMs * 2 ** (circuit.failures - failuresToOpen), longestOpenMs)
}
