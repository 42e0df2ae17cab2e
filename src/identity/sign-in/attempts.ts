import { TokenBucket } from '#platform/async/token-bucket.ts'
import { Fault } from '#platform/core/fault.ts'

/** How many attempts that fail an address has at once, and how many seconds later each one more. */
const atOnce = 10
const everySeconds = 6

/** How many addresses are remembered. */
const mostAddresses = 10_000

/** Bounds how often an address may try to sign in in vain, at this process. What succeeds does not count. */
export class SignInAttempts {
  readonly #buckets = new Map<string, TokenBucket>()
  readonly #now: () => number

  /** @param now a clock that does not jump. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Runs one attempt. @throws Fault `rate_limited` when the address has failed too often. */
  async run<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    const bucket = this.#bucketOf(networkOf(address))
    // Taken before the attempt: many at once are not one.
    const waitMs = bucket.take(1)
    if (waitMs > 0) {
      bucket.take(-1)
      const retryAfterSeconds = Math.ceil(waitMs / 1000)
      throw new Fault(
        'rate_limited',
        `Too many attempts to sign in failed. Try again in ${retryAfterSeconds} seconds.`,
        {
          retryAfterSeconds,
        },
      )
    }
    const result = await attempt()
    bucket.take(-1)
    return result
  }

  #bucketOf(network: string): TokenBucket {
    const known = this.#buckets.get(network)
    if (known) return known
    if (this.#buckets.size >= mostAddresses) this.#buckets.delete(this.#buckets.keys().next().value!)
    const made = new TokenBucket(1 / everySeconds, atOnce, this.#now)
    this.#buckets.set(network, made)
    return made
  }
}

/** Whoever has one address of IPv6 has all of its /64. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = ''] = address.split('::')
  const groups = address.includes('::') ? head.split(':') : address.split(':')
  return `${groups.slice(0, 4).join(':')}::/64`
}
