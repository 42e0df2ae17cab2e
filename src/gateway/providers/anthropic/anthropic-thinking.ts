import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import {
  effortOf,
  minBudget,
  thinkingBudgetOf,
  thinkingSetting,
  thinksByCatalogue,
} from '../../protocol/reasoning-budget.ts'
import { keptThoughts } from './anthropic-turns.ts'

/** The ways to ask an Anthropic model to think. */
type Way =
  /** By a budget of tokens; sampling settings are taken while it does not think. */
  | 'budget'
  /** By an effort, as much as it finds necessary; `xhigh` is not known, sampling settings are taken. */
  | 'adaptive'
  /** By an effort only, and without any sampling settings. */
  | 'adaptive-only'

/** Which models think by a budget (all up to 4.5) and which by either. Later ones know efforts only. */
const ways: [RegExp, Way][] = [
  [/claude-(?:[123]\b|instant|(?:opus|sonnet|haiku)-4(?:[-.][0-5])?(?:$|[-@:]\D|[-@:]\d{6,}))/, 'budget'],
  [/claude-(?:opus|sonnet|haiku)-4[-.]6/, 'adaptive'],
]

const wayOf = (model: string): Way => ways.find(([pattern]) => pattern.test(model))?.[1] ?? 'adaptive-only'

export type ThinkingSettings = {
  thinking?: object
  effort?: string
  /** The answer's limit, with room for the thoughts. */
  maxTokens: number
  /** Whether `temperature` and its like may be sent. */
  samples: boolean
}

/** The settings that follow from what the request wants and the model takes. */
export function thinkingSettings(chat: ChatRequest, endpoint: Endpoint, maxTokens: number): ThinkingSettings {
  const way = wayOf(endpoint.upstreamModel)
  const setting = thinkingSetting(chat)
  const samples = way !== 'adaptive-only'
  if (!setting?.enabled || forcesTool(chat)) return { maxTokens, samples }
  if (way !== 'budget') {
    const effort = effortFor(effortOf(setting), way)
    // Without `display` the later models keep their thoughts to themselves.
    return { thinking: { type: 'adaptive', display: 'summarized' }, effort, maxTokens, samples: false }
  }
  if (answersToolWithoutThoughts(chat)) return { maxTokens, samples }
  const budget = Math.max(minBudget, thinkingBudgetOf(setting, maxTokens))
  const room = budget < maxTokens ? maxTokens : budget + maxTokens
  const limit = endpoint.maxCompletionTokens ? Math.min(room, endpoint.maxCompletionTokens) : room
  return {
    thinking: { type: 'enabled', budget_tokens: Math.min(budget, limit - 1) },
    maxTokens: limit,
    samples: false,
  }
}

/** Up to 4.6 they think only where they are told to. */
export function mayThink(endpoint: Endpoint, { thinking }: ThinkingSettings): boolean {
  if (thinking) return true
  const { upstreamModel } = endpoint
  return upstreamModel.includes('claude') && wayOf(upstreamModel) !== 'adaptive-only'
    ? false
    : thinksByCatalogue(endpoint)
}

function effortFor(effort: string, way: Way): string {
  if (effort === 'minimal') return 'low'
  return effort === 'xhigh' && way === 'adaptive' ? 'high' : effort
}

/** A model that must call a tool does not think; the tool is the firmer wish of the two. */
function forcesTool({ tools, tool_choice: choice }: ChatRequest): boolean {
  return Boolean(tools?.length) && choice != null && choice !== 'auto' && choice !== 'none'
}

/** Thinking by a budget refuses to go on from a tool call whose thoughts are lost, as they are with many clients. */
function answersToolWithoutThoughts({ messages }: ChatRequest): boolean {
  if (messages.at(-1)?.role !== 'tool') return false
  const asking = messages.findLast(({ role }) => role === 'assistant')
  return asking !== undefined && keptThoughts(asking).length === 0
}
