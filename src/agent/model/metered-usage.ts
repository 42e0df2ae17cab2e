import { waitFor } from '#platform/async/wait-for.ts'
import { readBodyText } from '#platform/text/body-text.ts'
import type { Usage } from './model.ts'

/** The usage is requested repeatedly, because Signalbox meters a response up to a second after its end. */
const polling = { timeoutMs: 2000, recheckMs: 100 }

/**
 * Fetches the usage that the service metered or estimated for a response that reported none or broke off. Services that meter,
 * such as Signalbox and OpenRouter, send the id of the response in the header `x-generation-id`. Returns undefined if the usage
 * cannot be read.
 */
export async function fetchMeteredUsage(
  { baseUrl, apiKey }: { baseUrl: () => string; apiKey: string | undefined },
  generationId: string | null,
  signal: AbortSignal,
): Promise<Usage | undefined> {
  if (!generationId) return undefined
  const url = `${baseUrl().replace(/\/+$/, '')}/generation?id=${encodeURIComponent(generationId)}`
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : undefined
  const request = async () => {
    const response = await fetch(url, { headers, signal }).catch(() => undefined)
    if (response?.ok) return { usage: readUsage(await parseBody(response)) }
    await response?.body?.cancel()
    // 404: it is not metered yet. Any other failure is final.
    return response?.status === 404 ? undefined : { usage: undefined }
  }
  return (await waitFor(request, { ...polling, signal }))?.usage
}

const maxBytes = 1024 * 1024

async function parseBody(response: Response): Promise<Parameters<typeof readUsage>[0]> {
  try {
    return JSON.parse(await readBodyText(response, maxBytes))
  } catch {
    return undefined
  }
}

type Generation = { tokens_prompt?: number; tokens_completion?: number; total_cost?: number }

function readUsage(response: { data?: Generation } | undefined): Usage | undefined {
  const { tokens_prompt: promptTokens, tokens_completion: completionTokens, total_cost: costUsd } = response?.data ?? {}
  if (typeof promptTokens !== 'number' || typeof completionTokens !== 'number') return undefined
  return { promptTokens, completionTokens, costUsd: typeof costUsd === 'number' ? costUsd : undefined }
}
