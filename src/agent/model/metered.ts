import { setTimeout as sleep } from 'node:timers/promises'
import { bodyText } from '#platform/text/body-text.ts'
import type { Usage } from './model.ts'

const tries = { times: 20, everyMs: 100 }

/**
 * Fetches the metered usage of an answer that reported none or broke off; the service then has an estimate. Services
 * that meter send the id of the answer in a header and have its usage within a second. Returns undefined if the usage
 * cannot be read.
 */
export async function meteredUsage(
  { baseUrl, apiKey }: { baseUrl: () => string; apiKey: string | undefined },
  generationId: string | null,
  signal: AbortSignal,
): Promise<Usage | undefined> {
  if (!generationId) return undefined
  const url = `${baseUrl().replace(/\/+$/, '')}/generation?id=${encodeURIComponent(generationId)}`
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : undefined
  for (let attempt = 0; attempt < tries.times && !signal.aborted; attempt++) {
    const answer = await fetch(url, { headers, signal }).catch(() => undefined)
    if (answer?.ok) return usageIn(await read(answer))
    await answer?.body?.cancel()
    if (answer?.status !== 404) return undefined
    await sleep(tries.everyMs, undefined, { signal }).catch(() => {})
  }
  return undefined
}

const maxBytes = 1024 * 1024

async function read(answer: Response): Promise<Parameters<typeof usageIn>[0]> {
  try {
    return JSON.parse(await bodyText(answer, maxBytes))
  } catch {
    return undefined
  }
}

type Metered = { tokens_prompt?: number; tokens_completion?: number; total_cost?: number }

function usageIn(answer: { data?: Metered } | undefined): Usage | undefined {
  const { tokens_prompt: promptTokens, tokens_completion: completionTokens, total_cost: costUsd } = answer?.data ?? {}
  if (typeof promptTokens !== 'number' || typeof completionTokens !== 'number') return undefined
  return { promptTokens, completionTokens, ...(typeof costUsd === 'number' ? { costUsd } : {}) }
}
