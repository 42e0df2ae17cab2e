import type { ChatRequest } from '#chat/chat-request.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { Body } from '../request-body.ts'
import type { Repair } from './repair.ts'

/**
 * Moves the schema of a response format to `json_schema`, as OpenAI requires. Servers such as llama.cpp and Together, and their
 * clients, have the schema directly in the format, also with the type `json_object`.
 */
export function moveFormatSchema<T extends Pick<ChatRequest, 'response_format'>>(chat: T): T {
  const { schema, json_schema, type, name, strict, description } = (chat.response_format ?? {}) as Body
  if (typeof schema !== 'object' || schema === null || json_schema != null) return chat
  if (type !== 'json_schema' && type !== 'json_object') return chat
  const options = withoutNulls({ name: name ?? 'response', strict, description })
  return { ...chat, response_format: { type: 'json_schema', json_schema: { ...options, schema } } }
}

/** Moves the schema of the response format to `json_schema`, for servers that refuse other positions. */
export const repairFormatSchema: Repair = (body) =>
  moveFormatSchema(body as Pick<ChatRequest, 'response_format'>) as Body
