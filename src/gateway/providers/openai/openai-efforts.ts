import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** The lowest and the highest effort that OpenAI's models accept. The first row that matches applies. */
const acceptedEfforts: [model: RegExp, lowest: string, highest: string][] = [
  [/gpt-oss|^o\d/, 'low', 'high'],
  [/^gpt-5-pro/, 'high', 'high'],
  [/^gpt-5\.\d-pro/, 'medium', 'xhigh'],
  [/^gpt-5-codex|^gpt-5\.1-codex(?!-max)/, 'low', 'high'],
  [/^gpt-5(?![.\d])/, 'minimal', 'high'],
  [/^gpt-5\.1(?!-codex-max)/, 'none', 'high'],
  [/^gpt-5\.[1-5](?!\d)/, 'none', 'xhigh'],
  [/^gpt-[5-9]/, 'none', 'max'],
]

/** OpenAI's models that do not reason. */
const withoutReasoning = /^(?:gpt-[34]|chatgpt)/

/** The position of an effort; -1 if it is unknown. */
const rankOf = (effort: string) => efforts.indexOf(effort)

/** The accepted effort that is closest to the requested one. */
function closestEffort(model: string, requested: string): string {
  const rank = rankOf(requested)
  const [, lowest, highest] = acceptedEfforts.find(([pattern]) => pattern.test(model)) ?? []
  if (rank < 0 || lowest === undefined || highest === undefined) return requested
  const bounded = Math.min(Math.max(rank, efforts.indexOf(lowest)), efforts.indexOf(highest))
  const closest = efforts[bounded]!
  // Models that accept `none` do not accept `minimal`.
  return closest === 'minimal' && lowest !== 'minimal' ? 'low' : closest
}

/** The efforts that a server accepts, and those of models that accept others. */
type ServerEfforts = {
  efforts?: readonly string[]
  modelEfforts?: readonly (readonly [model: RegExp, efforts: readonly string[]])[]
}

/** Replaces an effort that is not in a server's list by the closest one in it. */
export function serverEffortRepair({ efforts: shared, modelEfforts = [] }: ServerEfforts): Repair {
  return (body) => {
    const { reasoning_effort: effort, model } = body
    const own = modelEfforts.find(([pattern]) => typeof model === 'string' && pattern.test(model))
    const accepted = own ? own[1] : shared
    if (!accepted || typeof effort !== 'string' || accepted.includes(effort)) return body
    const rank = rankOf(effort)
    if (rank < 0) return body
    // `none` would disable the reasoning that the client requests.
    const others = accepted.filter((one) => one !== 'none')
    const closest = others.toSorted((one, other) => distance(one, rank) - distance(other, rank))[0]
    return closest === undefined ? body : { ...body, reasoning_effort: closest }
  }
}

const distance = (effort: string, rank: number) => Math.abs(efforts.indexOf(effort) - rank)

/**
 * Replaces an effort that a model of OpenAI refuses by the closest one. Removes it for models that do not reason.
 * @param find reads the effort of a body. @param set changes it; undefined removes it. @param name the field to list in `x-fields-left-out`.
 */
export function openaiEffortRepair(
  find: (body: Body) => unknown,
  set: (body: Body, effort: string | undefined) => Body,
  name: string,
): Repair {
  return (body, dropped) => {
    const effort = find(body)
    const { model } = body
    if (typeof effort !== 'string' || typeof model !== 'string') return body
    if (withoutReasoning.test(model)) {
      if (effort !== 'none') noteDropped(dropped, name)
      return set(body, undefined)
    }
    const closest = closestEffort(model, effort)
    return closest === effort ? body : set(body, closest)
  }
}
