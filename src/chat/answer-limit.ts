/**
 * The names of the limit of answer tokens in all protocols and servers. The first one with a value counts.
 */
const limitNames = ['max_output_tokens', 'max_completion_tokens', 'max_tokens', 'max_new_tokens', 'n_predict'] as const
export type LimitName = (typeof limitNames)[number]

const limitNameSet: ReadonlySet<string> = new Set(limitNames)

export function isAnswerLimit(name: string): boolean {
  return limitNameSet.has(name)
}

/**
 * Returns the answer limit of a request. A value below 1 means no limit, as on some servers.
 */
export function answerLimitOf(request: object): number | undefined {
  for (const name of limitNames) {
    const limit = (request as Record<string, unknown>)[name]
    if (Number.isSafeInteger(limit) && (limit as number) >= 1) return limit as number
  }
  return undefined
}

/** Returns the changes that move the limit to this name; undefined for removed fields. */
export function limitUnder(request: object, as: LimitName): Record<string, number | undefined> {
  const changes: Record<string, number | undefined> = {}
  for (const name of limitNames) if (name in request) changes[name] = undefined
  const limit = answerLimitOf(request)
  if (limit !== undefined) changes[as] = limit
  return changes
}

/** Moves the limit to this name, so that the upstream cannot use another one that exceeds the reservation. */
export function nameLimit(request: Record<string, unknown>, as: LimitName): void {
  const limit = answerLimitOf(request)
  for (const name of limitNames) if (name in request) request[name] = undefined
  if (limit !== undefined) request[as] = limit
}
