import { maskSecrets } from '#gateway/attempt/secrets/mask-secrets.ts'
import { guardrailRefusal } from '#interns/contract/chat-fault.ts'
import { DecisionCollector } from '#interns/rules/decision-collector.ts'
import type { ChatTurnDeps } from '#interns/turns/chat-turn.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Scanner } from '#policy/filters/scanner.ts'
import { screenText } from '#policy/guardrails/decide/screen-request.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import { openSupervision, type Supervision, type SupervisionParts } from './supervision.ts'

/** The caller whose guardrails apply. */
type Subject = Parameters<GuardrailCache['policiesOf']>[0]

type InternsParts = Omit<SupervisionParts, 'decisions'> & {
  guardrailCache: Pick<GuardrailCache, 'policiesOf'>
  scanner: Pick<Scanner, 'scanText' | 'scanAnswer'>
  /** Called when a content filter refuses a text, or screening fails. */
  onRefused: (error: unknown) => void
}

type ConcealDeps = Pick<InternsParts, 'guardrailCache' | 'scanner'>

/** Removes secrets, and content that the guardrails of the caller block, from a text for the audit log. */
const createConcealer =
  ({ guardrailCache, scanner }: ConcealDeps) =>
  async (caller: Subject, text: string) =>
    screenForAudit(scanner, (await guardrailCache.policiesOf(caller)).guardrails, text, caller.workspaceId)

/** Collects decisions of rules, and questions to people, with secrets removed. */
export function openDecisionCollector({ db, now, ...parts }: ConcealDeps & Pick<InternsParts, 'db' | 'now'>) {
  const conceal = createConcealer(parts)
  return new DecisionCollector({
    db,
    now,
    // The intern calls models with its own key. Content that models must not see is not stored either.
    conceal: ({ workspaceId, creatorUserId, keyHash }, text) =>
      conceal({ workspaceId, userId: creatorUserId, keyHash: keyHash ?? '' }, text),
  })
}

export type Interns = Supervision & { chatTurnDeps: ChatTurnDeps }

/** Opens the supervision of interns and the dependencies of chat turns. Starts nothing before `start`. */
export function openInterns({ guardrailCache, scanner, onRefused, ...parts }: InternsParts): Interns {
  const { config, db, now, newId, readMeteredUsage, readSpending } = parts
  const conceal = createConcealer({ guardrailCache, scanner })
  const decisions = openDecisionCollector({ db, now, guardrailCache, scanner })
  const supervision = openSupervision({ ...parts, decisions })
  const chatTurnDeps: ChatTurnDeps = {
    db,
    now,
    newId,
    conceal,
    decisions,
    hosts: supervision.hosts,
    idleMs: config.intern_idle_ms,
    runsOf: (intern) => supervision.provisioner.runsOf(intern),
    screen: createScreen({ guardrailCache, scanner, onRefused }),
    readMeteredUsage,
    readSpending,
    rates: { user: config.turns_per_minute_user, organization: config.turns_per_minute_organization },
    idleTimeoutMs: config.intern_budget_ms,
  }
  return { chatTurnDeps, ...supervision }
}

type Guardrails = Parameters<typeof screenText>[1]

const withheldText = '[withheld: a guardrail blocks it]'

/** Screens a text for the audit log, which other people can read. */
async function screenForAudit(
  scanner: InternsParts['scanner'],
  guardrails: Guardrails,
  text: string,
  workspaceId: string,
): Promise<string> {
  // Uses a separate key for the scanner's queue: requests of other keys must not delay the audit log, or vice versa.
  const request = { requester: { workspaceId, keyHash: 'audit' } }
  const screened = await screenText(scanner, guardrails, text, 'prompt', request).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'forbidden') return withheldText
    throw error
  })
  return maskSecrets(screened)
}

/**
 * Screens a prompt to an intern or an answer. `guardrailRefusal` converts a refusal to the error format of the chat route,
 * which has no metadata.
 */
function createScreen({
  guardrailCache,
  scanner,
  onRefused,
}: Pick<InternsParts, 'guardrailCache' | 'scanner' | 'onRefused'>): ChatTurnDeps['screen'] {
  return async (caller, text, kind, signal) => {
    const { guardrails } = await guardrailCache.policiesOf(caller)
    try {
      return await screenText(scanner, guardrails, text, kind, { requester: caller, signal })
    } catch (error) {
      onRefused(error)
      throw error instanceof Fault ? guardrailRefusal(error) : error
    }
  }
}
