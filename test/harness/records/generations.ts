import type { Generation } from '#spend/ledger/generation.ts'

export const at = Date.UTC(2026, 10, 18, 12)
export const caller = {
  keyHash: 'hash',
  keyKind: 'api' as const,
  keyName: 'key',
  userId: 'user',
  creatorLeft: false,
  internsProgramme: true,
  internsGrant: false,
  spendLimit: null,
  isWorkspaceScoped: false,
  organizationId: 'organization',
  workspaceId: 'workspace',
}

let createdCount = 0

/** A metered request that was answered, with ordinary values. */
export function generation(overrides: Partial<Generation> = {}): Generation {
  return {
    id: `gen-${createdCount++}`,
    requestId: 'request',
    caller,
    sessionId: undefined,
    protocol: 'openai-chat',
    streamed: true,
    createdAt: at,
    requestedModel: 'a/b',
    candidateModels: ['a/b'],
    preset: undefined,
    region: 'global',
    modelId: 'a/b',
    endpointId: 'a/b@p',
    provider: 'p',
    upstreamId: 'chatcmpl-1',
    upstreamModel: 'b',
    byok: false,
    tokens: { prompt: 10, completion: 5, cached: 0, cacheWritten: 0, reasoning: 1 },
    estimated: false,
    capped: false,
    cost: 100_000_000_001n,
    margin: 0n,
    finish: 'stop',
    nativeFinish: 'stop',
    toolCalls: 0,
    latencyMs: 20,
    durationMs: 120,
    outcome: 'success',
    attempts: [{ endpointId: 'a/b@p', provider: 'p', outcome: 'answered', durationMs: 120 }],
    ...overrides,
  }
}
