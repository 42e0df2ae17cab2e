import { TokenBucket } from '#platform/async/token-bucket.ts'
import { Fault } from '#platform/core/fault.ts'

/** The maximum number of tracked addresses. */
const mostAddresses = 10_000

/** The rate of attempts: the burst, and the seconds until another one is possible. */
type AttemptRate = { atOnce: number; everySeconds: number }

const failureRate: AttemptRate = { atOnce: 10, everySeconds: 6 }

/** Limits the sign-in attempts of each address, at this process. */
export class SignInAttempts {
  readonly #buckets = new Map<string, TokenBucket>()
  readonly #now: () => number
  readonly #rate: AttemptRate

  /** @param now a clock that does not jump. */
  constructor(now: () => number, rate: AttemptRate = failureRate) {
    this.#now = now
    this.#rate = rate
  }

  /** Runs one attempt. Only failures count. @throws Fault `rate_limited` after too many of the address. */
  async run<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    // Counted before the attempt, so that concurrent ones count, too.
    const bucket = this.count(address)
    const result = await attempt()
    bucket.take(-1)
    return result
  }

  /** Counts one attempt. @throws Fault `rate_limited` after too many of the address. */
  count(address: string): TokenBucket {
    const bucket = this.#bucketOf(networkOf(address))
    const waitMs = bucket.take(1)
    if (waitMs === 0) return bucket
    bucket.take(-1)
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    const message = `Too many attempts to sign in failed. Try again in ${retryAfterSeconds} seconds.`
    throw new Fault('rate_limited', message, { retryAfterSeconds })
  }

  #bucketOf(network: string): TokenBucket {
    const existing = this.#buckets.get(network)
    if (existing) return existing
    if (this.#buckets.size >= mostAddresses) this.#buckets.delete(this.#buckets.keys().next().value!)
    const made = new TokenBucket(1 / this.#rate.everySeconds, this.#rate.atOnce, this.#now)
    this.#buckets.set(network, made)
    return made
  }
}

/** Returns the network that is limited. For IPv6 it is the /64, because one client usually has all of it. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = ''] = address.split('::')
  const groups = address.includes('::') ? head.split(':') : address.split(':')
  return `${groups.slice(0, 4).join(':')}::/64`
}
