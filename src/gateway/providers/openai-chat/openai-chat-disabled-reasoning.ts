import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { foreignThinkingFields, isReasoningModel, readThinkingSetting } from '../../protocol/reasoning-budget.ts'
import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'
import type { ChatCompatibility } from './openai-chat-compatibility.ts'

const reasoningFields = ['reasoning_effort', ...foreignThinkingFields] as const

/**
 * Disables reasoning by the fields that the server has for it, if the request disables it. Also if the request forces a call,
 * which the server refuses while its model reasons: the call takes precedence.
 */
export function disabledReasoningRepair(compatibility: ChatCompatibility, endpoint: Endpoint): Repair {
  const { disabledReasoning, refusesForcedReasoning = false } = compatibility
  if (!disabledReasoning || !isReasoningModel(endpoint)) return (body) => body
  return (body, dropped) => {
    const setting = readThinkingSetting(body as ChatRequest)
    if (setting?.enabled !== false && !(refusesForcedReasoning && forcesCall(body))) return body
    const rest: Body = { ...body }
    for (const name of reasoningFields) {
      if (setting?.enabled && rest[name] != null) noteDropped(dropped, name)
      delete rest[name]
    }
    return { ...rest, ...disabledReasoning }
  }
}

function forcesCall({ tools, tool_choice: choice }: Body): boolean {
  return Array.isArray(tools) && tools.length > 0 && choice != null && choice !== 'auto' && choice !== 'none'
}
