import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useEvery } from '../api/pages.ts'
import { useGet } from '../api/resource.ts'
import type { Guardrail, Workspace } from '../api/types.ts'
import { useDraft } from '../components/drafts.ts'
import { Heading } from '../components/heading.tsx'
import { useKeys } from '../components/keys.ts'
import { Failed, Loading } from '../components/page-states.tsx'
import { meaningOf } from '../components/policy-description.ts'
import { Ago } from '../components/timestamp.tsx'
import { Usd } from '../components/usd.tsx'
import { Assigned } from './assignments.tsx'
import { Remove } from './delete-guardrail.tsx'
import { Editor } from './editor.tsx'
import { History } from './guardrail-history.tsx'
import { Replayed } from './guardrail-replay.tsx'
import { Spent } from './limit-usage.tsx'
import { changesBetween, emptyPolicy, type Policy, policyIn } from './policy.ts'
import { TryText } from './try-text.tsx'
import { Changed } from './unsaved-changes.tsx'

/** One guardrail. A workspace's default is there before anything is said in it: the first save makes it. */
export function GuardrailPage({ id, mayChange }: { id: string; mayChange: boolean }) {
  const { data, failure, reload } = useGet('GET /guardrails/{id}', { params: { id } })
  const workspaces = useEvery('GET /workspaces', {}).data
  const governed = workspaces?.find(({ default_guardrail_id }) => default_guardrail_id === id)
  const isUnsaid = failure?.status === 404 && governed !== undefined
  const found = data?.data
  return (
    <div class="page guardrail">
      <p>
        <a href="/guardrails">← Guardrails</a>
      </p>
      {failure && !isUnsaid && <Failed failure={failure} again={reload} />}
      {!failure && !found && <Loading />}
      {(found || isUnsaid) && (
        <Whole
          id={id}
          guardrail={isUnsaid ? undefined : found}
          saved={found && !isUnsaid ? policyIn(found) : emptyPolicy(`Workspace ${governed?.name} Default`)}
          governs={governed?.name}
          {...(workspaces && workspaces.length > 1 && { workspace: workspaceOf(workspaces, found) })}
          mayChange={mayChange}
          reload={reload}
        />
      )}
    </div>
  )
}

const workspaceOf = (all: Workspace[], guardrail: Guardrail | undefined) =>
  all.find(({ id }) => id === guardrail?.workspace_id)?.name

type WholeProps = {
  id: string
  guardrail: Guardrail | undefined
  saved: Policy
  /** The workspace of which all is governed. */
  governs: string | undefined
  /** The workspace that it is one of, where there are several. */
  workspace?: string | undefined
  mayChange: boolean
  reload: () => void
}

function Whole({ id, guardrail, saved, governs, workspace, mayChange, reload }: WholeProps) {
  const { route } = useLocation()
  const [draft, setDraft] = useDraft<Policy>(id)
  /** Moves when the fields are to be filled anew. */
  const [filled, setFilled] = useState(0)
  const policy = draft ?? saved
  const isChanged = changesBetween(saved, policy).length > 0
  const fill = (other: Policy | undefined) => {
    setDraft(other)
    setFilled((before) => before + 1)
  }
  const done = () => {
    fill(undefined)
    reload()
  }
  useKeys([{ key: 'Escape', says: 'back to the list', act: () => route('/guardrails') }])
  return (
    <>
      <Head {...{ id, guardrail, policy: saved, governs, workspace, mayChange }} />
      <Meaning policy={policy} isChanged={isChanged} />
      {mayChange && (
        <div class="guardrail-work">
          <Editor key={`${filled} ${guardrail?.updated_at}`} policy={policy} change={setDraft} />
          <div class="guardrail-aside">
            {isChanged && <Changed id={id} saved={saved} policy={policy} drop={() => fill(undefined)} done={done} />}
            <TryText id={id} saved={saved} policy={policy} />
            <Replayed id={id} saved={saved} policy={policy} />
          </div>
        </div>
      )}
      {!mayChange && <Replayed id={id} saved={saved} policy={policy} />}
      {guardrail && <Assigned id={id} workspaceId={guardrail.workspace_id} governs={governs} mayChange={mayChange} />}
      <History id={id} version={guardrail?.updated_at} {...(mayChange && { take: fill })} />
    </>
  )
}

type HeadProps = Pick<WholeProps, 'id' | 'guardrail' | 'governs' | 'workspace' | 'mayChange'> & { policy: Policy }

function Head({ id, guardrail, policy, governs, workspace, mayChange }: HeadProps) {
  return (
    <>
      <header>
        <Heading>{policy.name}</Heading>
        {governs !== undefined && <span class="dim">Applies to the whole workspace {governs}</span>}
        {governs === undefined && workspace !== undefined && <span class="dim">Workspace: {workspace}</span>}
        {guardrail && (
          <span class="dim">
            Updated <Ago time={guardrail.updated_at} />
          </span>
        )}
        <a class="button" href={`/requests?guardrail_id=${id}`}>
          Requests
        </a>
        {mayChange && guardrail && governs === undefined && <Remove guardrail={guardrail} />}
      </header>
      {policy.description && <p class="dim">{policy.description}</p>}
      {guardrail && guardrail.limit_usd !== null && (
        <p>
          <Spent guardrail={guardrail} />
          {guardrail.resets_at && (
            <span class="dim">
              , resets <Ago time={guardrail.resets_at} />
            </span>
          )}
        </p>
      )}
      {guardrail?.spenders && guardrail.spenders.length > 0 && <Spenders spenders={guardrail.spenders} />}
    </>
  )
}

/** The members and keys that have spent the most. The limit applies to each of them separately. */
function Spenders({ spenders }: { spenders: NonNullable<Guardrail['spenders']> }) {
  return (
    <p class="dim">
      The limit applies to each member and key separately. Highest spending:{' '}
      {spenders.slice(0, 3).map(({ kind, user_id, key_hash, name, spent_usd }, at) => (
        <span key={`${kind} ${user_id ?? key_hash}`}>
          {at > 0 && ', '}
          {kind} {name ?? 'deleted'} <Usd amount={spent_usd} />
        </span>
      ))}
    </p>
  )
}

function Meaning({ policy, isChanged }: { policy: Policy; isChanged: boolean }) {
  const says = meaningOf(policy)
  return (
    <section id="meaning" aria-label="Effect">
      <h2>{isChanged ? 'Effect with changes' : 'Effect'}</h2>
      {says.length === 0 ? (
        <p>No rules.</p>
      ) : (
        <ul class="guardrail-means">
          {says.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </section>
  )
}
