import type { Asked } from '../filled-in.ts'
import type { Candidate } from '../plan.ts'
import { estimatePrompt } from '../prompt-size.ts'
import type { ClientWire } from '../wire.ts'
import { healing } from './healing.ts'
import { middleOut } from './middle-out.ts'
import { wishesIn } from './wishes.ts'

/** A request as what it wishes of this service has made it, and the client whose answers are made so. */
type Wished = Asked & {
  client: ClientWire
  /** How long the prompt is taken to be, where the request lets it be cut to fit: a cautious guess would not do. */
  promptTokens: number | undefined
}

/** @throws Fault `invalid` for a wish that this service cannot meet. */
export function wished(asked: Asked, client: ClientWire, candidates: readonly Candidate[]): Wished {
  const wishes = wishesIn(asked.body)
  const fitting = wishes.fits ? fitted(asked, client, candidates) : asked
  return {
    ...fitting,
    client: wishes.heals ? healing(client, fitting.chat) : client,
    promptTokens: wishes.fits ? estimatePrompt(fitting.chat) : undefined,
  }
}

function fitted(asked: Asked, client: ClientWire, candidates: readonly Candidate[]): Asked {
  const body = middleOut(asked.body, asked.chat, candidates)
  return body ? { ...asked, body, chat: client.toChat(body) } : asked
}
