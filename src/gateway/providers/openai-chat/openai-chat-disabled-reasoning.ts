import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { isReasoningModel } from '../../protocol/reasoning-models.ts'
import { readReasoningOptions, vendorReasoningFields } from '../../protocol/reasoning-options.ts'
import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'
import type { ChatCompatibility } from './openai-chat-compatibility.ts'

const reasoningFields = ['reasoning_effort', ...vendorReasoningFields] as const

/**
 * Disables reasoning by the fields that the server has for it, if the request disables it. Also if the request forces a call,
 * which the server refuses while its model reasons: the call takes precedence.
 */
export function disabledReasoningRepair(compatibility: ChatCompatibility, endpoint: Endpoint): Repair {
  const { fieldsDisablingReasoning, refusesForcedCallsWhileReasoning = false } = compatibility
  if (!fieldsDisablingReasoning || !isReasoningModel(endpoint)) return (body) => body
  return (body, dropped) => {
    const setting = readReasoningOptions(body as ChatRequest)
    if (setting?.enabled !== false && !(refusesForcedCallsWhileReasoning && forcesCall(body))) return body
    const rest: Body = { ...body }
    for (const name of reasoningFields) {
      if (setting?.enabled && rest[name] != null) noteDropped(dropped, name)
      delete rest[name]
    }
    return { ...rest, ...fieldsDisablingReasoning }
  }
}

function forcesCall({ tools, tool_choice: choice }: Body): boolean {
  return Array.isArray(tools) && tools.length > 0 && choice != null && choice !== 'auto' && choice !== 'none'
}
