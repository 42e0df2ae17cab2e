/** The field names of the limit of response tokens in all protocols. If a request has several, the first one applies. */
export const limitNames = [
  'max_output_tokens',
  'max_completion_tokens',
  'max_tokens',
  'max_new_tokens',
  'n_predict',
] as const
export type LimitName = (typeof limitNames)[number]

const limitNameSet: ReadonlySet<string> = new Set(limitNames)

export function isOutputLimit(name: string): boolean {
  return limitNameSet.has(name)
}

/**
 * Returns the output limit of a request. A value below 1 means no limit, as on some servers.
 */
export function outputLimitOf(request: object): number | undefined {
  for (const name of limitNames) {
    const limit = (request as Record<string, unknown>)[name]
    if (Number.isSafeInteger(limit) && (limit as number) >= 1) return limit as number
  }
  return undefined
}

/** Returns a patch that moves the limit to the field `target`. Fields to remove have the value undefined. */
export function outputLimitPatch(request: object, target: LimitName): Record<string, number | undefined> {
  const changes: Record<string, number | undefined> = {}
  for (const name of limitNames) if (name in request) changes[name] = undefined
  const limit = outputLimitOf(request)
  if (limit !== undefined) changes[target] = limit
  return changes
}

/** Moves the limit to the field `target`, so that the upstream cannot apply a larger limit from another field. */
export function renameOutputLimit(request: Record<string, unknown>, target: LimitName): void {
  Object.assign(request, outputLimitPatch(request, target))
}
