import { maskSecrets } from '#gateway/attempt/mask-secrets.ts'
import type { ModelLookup } from '#gateway/request/catalogue-lookup.ts'
import { resolveModels } from '#gateway/request/resolve-models.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { guardrailRefusal } from '#interns/contract/chat-fault.ts'
import type { EndReason } from '#interns/contract/run.ts'
import type { AgentChoice } from '#interns/registry/intern.ts'
import { createDecisionCollector } from '#interns/rules/collect.ts'
import type { ReadMeteredUsage } from '#interns/runs/metered-usage.ts'
import type { ReadSpending } from '#interns/runs/run-spending.ts'
import type { ChatTurnDeps } from '#interns/turns/chat-turn.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import type { Log } from '#platform/process/log.ts'
import { printable } from '#platform/text/printable.ts'
import type { Scanner } from '#policy/filters/scan.ts'
import { screenText } from '#policy/guardrails/decide/content.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import { openSupervision, type Supervision } from './supervision.ts'

/** The requester whose guardrails apply. */
type Subject = Parameters<GuardrailCache['policiesOf']>[0]

type InternsParts = {
  config: Config
  dataDir: string
  db: Db
  now: Now
  newId: NewId
  log: Log
  variable: (name: string) => string | undefined
  guardrailCache: Pick<GuardrailCache, 'policiesOf'>
  vault: Vault
  scanner: Pick<Scanner, 'scanText' | 'scanAnswer'>
  metered: ReadMeteredUsage
  spent: ReadSpending
  observeRunEnd: (outcome: EndReason) => void
  /** A content filter refused the text of a prompt. */
  onRefused: (error: unknown) => void
}

type ConcealDeps = Pick<InternsParts, 'guardrailCache' | 'scanner'>

const concealing =
  ({ guardrailCache, scanner }: ConcealDeps) =>
  async (caller: Subject, text: string) =>
    textForAudit(scanner, (await guardrailCache.policiesOf(caller)).guardrails, text, caller.workspaceId)

/** Collects decisions of rules, and questions to people, with secrets removed. */
export function collectDecisions({ db, now, ...parts }: ConcealDeps & Pick<InternsParts, 'db' | 'now'>) {
  const conceal = concealing(parts)
  return createDecisionCollector({
    db,
    now,
    // The intern calls models with its own key. Content that models must not see is not stored either.
    conceal: ({ workspaceId, creatorUserId, keyHash }, text) =>
      conceal({ workspaceId, userId: creatorUserId, keyHash: keyHash ?? '' }, text),
  })
}

export type Interns = Supervision & { conversation: ChatTurnDeps }

/** Everything that runs interns and connects to them, as configured. Starts nothing before `start`. */
export function openInterns({
  config,
  dataDir,
  db,
  now,
  newId,
  log,
  variable,
  guardrailCache,
  vault,
  scanner,
  metered,
  spent,
  observeRunEnd,
  onRefused,
}: InternsParts): Interns {
  const conceal = concealing({ guardrailCache, scanner })
  const decisions = collectDecisions({ db, now, guardrailCache, scanner })
  const supervision = openSupervision({
    config,
    dataDir,
    db,
    vault,
    now,
    newId,
    log,
    variable,
    metered,
    spent,
    observeRunEnd,
    decisions,
  })
  const conversation: ChatTurnDeps = {
    db,
    now,
    newId,
    conceal,
    decisions,
    hosts: supervision.hosts,
    idleMs: config.intern_idle_ms,
    runsOf: (intern) => supervision.provisioner.runs(intern),
    screen: async (caller, text, form, signal) =>
      screen(onRefused, scanner, (await guardrailCache.policiesOf(caller)).guardrails, text, form, {
        requester: caller,
        signal,
      }),
    metered,
    spent,
    rates: { user: config.turns_per_minute_user, organization: config.turns_per_minute_organization },
    idleTimeoutMs: config.intern_budget_ms,
  }
  return { conversation, ...supervision }
}

type AgentDeps = {
  config: Pick<Config, 'agents' | 'allow_custom_agents'>
  /** Whether a command can be run, with the agent's PATH or with that of the service. */
  hasProgram: (command: string, path?: string) => boolean
}

/** @throws Fault if this server does not run such agents, or has no agent. */
export function requireAgent({ config, hasProgram }: AgentDeps, agent: AgentChoice | null): void {
  if (agent === null) return
  requireAllowed(config, agent)
  const { command, env } = typeof agent === 'string' ? config.agents[agent]! : agent
  if (hasProgram(command, env.PATH)) return
  throw new Fault(
    'invalid',
    `Invalid request: agent: ${printable(JSON.stringify(command))} is not installed on this server; install it on the PATH of the service, or configure its path (setting agents)`,
  )
}

function requireAllowed(config: AgentDeps['config'], agent: AgentChoice): void {
  if (typeof agent === 'string') {
    if (Object.hasOwn(config.agents, agent)) return
    const names = Object.keys(config.agents).join(', ') || 'none'
    throw new Fault('invalid', `Invalid request: agent: no agent has this name. Configured agents: ${names}`)
  }
  if (config.allow_custom_agents) return
  throw new Fault(
    'forbidden',
    'This server does not allow custom agent commands (setting allow_custom_agents). Use a configured agent instead.',
  )
}

/**
 * Checks the builtin agent's model when the intern is created, not only in its first turn. A preset is not checked,
 * because it can be created later. Other agents have their own model names.
 * @throws Fault `invalid`.
 */
export function requireModel(
  catalogue: ModelLookup,
  { model, agent }: { model?: string | null; agent?: unknown },
): void {
  if (agent || !model || model === 'script' || model.includes('@preset/')) return
  try {
    resolveModels(catalogue, { model })
  } catch (error) {
    throw error instanceof Fault ? new Fault('invalid', `Invalid request: model: ${error.message}`) : error
  }
}

/** Screens a text for the audit log, which other people can read. */
async function textForAudit(
  scanner: InternsParts['scanner'],
  guardrails: Guardrails,
  text: string,
  workspaceId: string,
): Promise<string> {
  // Uses a separate key for the scanner's queue: requests of other keys must not delay the audit log, nor the reverse.
  const request = { requester: { workspaceId, keyHash: 'audit' } }
  const screened = await screenText(scanner, guardrails, text, 'prompt', request).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'forbidden') return withheld
    throw error
  })
  return maskSecrets(screened)
}

const withheld = '[withheld: a guardrail blocks it]'

type Guardrails = Parameters<typeof screenText>[1]

/** Screens a text. The metadata of guardrail refusals is removed, because refusals of the chat route have a different format. */
async function screen(
  onRefused: InternsParts['onRefused'],
  ...screened: Parameters<typeof screenText>
): Promise<string> {
  return screenText(...screened).catch((error: unknown) => {
    onRefused(error)
    throw error instanceof Fault ? guardrailRefusal(error) : error
  })
}
