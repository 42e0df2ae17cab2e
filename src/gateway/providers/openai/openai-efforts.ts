import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** The lowest and the highest effort that OpenAI's models accept. The first row that matches applies. */
const effortRanges: [model: RegExp, lowest: string, highest: string][] = [
  [/gpt-oss|^o\d/, 'low', 'high'],
  [/^gpt-5-pro/, 'high', 'high'],
  [/^gpt-5\.\d+-chat/, 'medium', 'medium'],
  [/^gpt-5\.\d-pro/, 'medium', 'xhigh'],
  [/^gpt-5-codex|^gpt-5\.1-codex(?!-max)/, 'low', 'high'],
  [/^gpt-5(?![.\d])/, 'minimal', 'high'],
  [/^gpt-5\.1(?!-codex-max)/, 'none', 'high'],
  [/^gpt-5\.[1-5](?!\d)/, 'none', 'xhigh'],
  [/^gpt-[5-9]/, 'none', 'max'],
]

/** OpenAI's models that do not reason. */
const nonReasoningModels = /^(?:gpt-[34]|gpt-5-chat|chatgpt)/

/** The position of an effort; -1 if it is unknown. */
const rankOf = (effort: string) => efforts.indexOf(effort)

/** The accepted effort that is closest to the requested one. */
function closestEffort(model: string, requested: string): string {
  const rank = rankOf(requested)
  const [, lowest, highest] = effortRanges.find(([pattern]) => pattern.test(model)) ?? []
  if (rank < 0 || lowest === undefined || highest === undefined) return requested
  const closestRank = Math.min(Math.max(rank, rankOf(lowest)), rankOf(highest))
  const closest = efforts[closestRank]!
  // Other models accept `none` and `low`, but not `minimal` between them.
  return closest === 'minimal' && lowest !== 'minimal' ? 'low' : closest
}

/** The efforts that a server accepts, with exceptions for some models. */
type ServerEfforts = {
  acceptedEfforts?: readonly string[]
  acceptedEffortsByModel?: readonly (readonly [model: RegExp, efforts: readonly string[]])[]
}

/** Creates the repair that replaces an effort which a server does not accept by the closest accepted one. */
export function serverEffortRepair({
  acceptedEfforts: defaultEfforts,
  acceptedEffortsByModel = [],
}: ServerEfforts): Repair {
  return (body) => {
    const { reasoning_effort: effort, model } = body
    const exception = acceptedEffortsByModel.find(([pattern]) => typeof model === 'string' && pattern.test(model))
    const accepted = exception ? exception[1] : defaultEfforts
    if (!accepted || typeof effort !== 'string' || accepted.includes(effort)) return body
    const rank = rankOf(effort)
    if (rank < 0) return body
    // `none` would disable the reasoning that the client requests.
    const others = accepted.filter((one) => one !== 'none')
    const closest = others.toSorted((one, other) => distanceFrom(rank, one) - distanceFrom(rank, other))[0]
    return closest === undefined ? body : { ...body, reasoning_effort: closest }
  }
}

const distanceFrom = (rank: number, effort: string) => Math.abs(rankOf(effort) - rank)

/**
 * Creates the repair that replaces an effort which a model of OpenAI refuses by the closest accepted one. Removes the effort for
 * models that do not reason.
 * @param readEffort reads the effort of a body.
 * @param writeEffort changes the effort of a body, or removes it if undefined.
 * @param fieldName the field to list in `x-fields-left-out`.
 */
export function openaiEffortRepair(
  readEffort: (body: Body) => unknown,
  writeEffort: (body: Body, effort: string | undefined) => Body,
  fieldName: string,
): Repair {
  return (body, dropped) => {
    const effort = readEffort(body)
    const { model } = body
    if (typeof effort !== 'string' || typeof model !== 'string') return body
    if (nonReasoningModels.test(model)) {
      // `none` has no effect on these models.
      if (effort !== 'none') noteDropped(dropped, fieldName)
      return writeEffort(body, undefined)
    }
    const closest = closestEffort(model, effort)
    return closest === effort ? body : writeEffort(body, closest)
  }
}
