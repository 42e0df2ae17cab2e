import { TokenBucket } from '#platform/async/limits/token-bucket.ts'
import { Fault } from '#platform/core/fault.ts'

/** The maximum number of tracked addresses. */
const maxAddresses = 10_000

/** The attempts that are possible at once, and the seconds after which another one is possible. */
type AttemptRate = { burst: number; refillSeconds: number }

const failureRate: AttemptRate = { burst: 10, refillSeconds: 6 }

/** Limits the attempts to sign in, or the requests for challenges, of each address at this process. */
export class SignInAttempts {
  readonly #buckets = new Map<string, TokenBucket>()
  readonly #now: () => number
  readonly #rate: AttemptRate

  /** @param now a clock that does not jump. */
  constructor(now: () => number, rate: AttemptRate = failureRate) {
    this.#now = now
    this.#rate = rate
  }

  /** Runs one attempt. Only failures count. @throws Fault `rate_limited` after too many from this address. */
  async run<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    // Counted before the attempt, so that concurrent attempts are limited.
    const bucket = this.count(address)
    const result = await attempt()
    bucket.take(-1)
    return result
  }

  /**
   * Counts one attempt. @returns the bucket of the address, to which a successful attempt is returned.
   * @throws Fault `rate_limited` after too many from this address.
   */
  count(address: string): TokenBucket {
    const bucket = this.#bucketOf(networkOf(address))
    const waitMs = bucket.take(1)
    if (waitMs === 0) return bucket
    bucket.take(-1)
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    const message = `Too many attempts to sign in. Try again in ${retryAfterSeconds} seconds.`
    throw new Fault('rate_limited', message, { retryAfterSeconds })
  }

  #bucketOf(network: string): TokenBucket {
    const existing = this.#buckets.get(network)
    if (existing) return existing
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined && this.#buckets.size >= maxAddresses) this.#buckets.delete(oldest)
    const created = new TokenBucket({
      perSecond: 1 / this.#rate.refillSeconds,
      capacity: this.#rate.burst,
      now: this.#now,
    })
    this.#buckets.set(network, created)
    return created
  }
}

const splitGroups = (text: string) => text.split(':').filter(Boolean)

/** Returns the network whose attempts are counted together: the IPv4 address, or the /64 of an IPv6 client. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [start = '', end = ''] = address.split('::')
  const [first, last] = [splitGroups(start), splitGroups(end)]
  const omitted = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  return `${[...first, ...omitted, ...last].slice(0, 4).join(':')}::/64`
}
