import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { etagOf } from '../api/client.ts'
import { useAllRows } from '../api/pages.ts'
import { useGet } from '../api/resource.ts'
import type { Guardrail, Workspace } from '../api/types.ts'
import { AlertThresholds } from '../components/form/alert-thresholds.tsx'
import { Conflict } from '../components/form/conflict.tsx'
import { useDraft } from '../components/form/drafts.ts'
import { mergeFields } from '../components/form/object-form.ts'
import { Heading } from '../components/page/heading.tsx'
import { FailureState, Loading } from '../components/page/page-states.tsx'
import { describePolicy } from '../components/policy/policy-description.ts'
import { BudgetTable } from '../components/table/budget-table.tsx'
import { RelativeTime } from '../components/text/timestamp.tsx'
import { Usd } from '../components/text/usd.tsx'
import { useShortcuts } from '../components/window/keyboard.ts'
import { Assignments } from './assignments.tsx'
import { DeleteGuardrail } from './delete-guardrail.tsx'
import { Editor } from './editor.tsx'
import { History } from './guardrail-history.tsx'
import { LimitUsage } from './limit-usage.tsx'
import { changesBetween, emptyPolicy, type Policy, policyOf } from './policy.ts'
import { GuardrailReplay } from './replay/guardrail-replay.tsx'
import { TryText } from './replay/try-text.tsx'
import { UnsavedChanges } from './unsaved-changes.tsx'

/** A guardrail. The default of a workspace can be opened before it exists; the first save creates it. */
export function GuardrailPage({ guardrailId, canChange }: { guardrailId: string; canChange: boolean }) {
  const { data, failure, reload } = useGet('GET /guardrails/{id}', { params: { id: guardrailId } })
  const workspaces = useAllRows('GET /workspaces', {}).data
  const workspace = workspaces?.find(({ default_guardrail_id }) => default_guardrail_id === guardrailId)
  const isNewDefault = failure?.status === 404 && workspace !== undefined
  const storedGuardrail = data?.data
  return (
    <div class="page guardrail">
      <p>
        <a href="/guardrails">← Guardrails</a>
      </p>
      {failure && !isNewDefault && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !storedGuardrail && <Loading />}
      {(storedGuardrail || isNewDefault) && (
        <GuardrailDetails
          guardrailId={guardrailId}
          guardrail={isNewDefault ? undefined : storedGuardrail}
          savedPolicy={
            storedGuardrail && !isNewDefault
              ? policyOf(storedGuardrail)
              : emptyPolicy(`Workspace ${workspace?.name} Default`)
          }
          defaultOf={workspace?.name}
          workspace={workspaces && workspaces.length > 1 ? workspaceNameOf(workspaces, storedGuardrail) : undefined}
          canChange={canChange}
          onReload={reload}
        />
      )}
    </div>
  )
}

const workspaceNameOf = (all: Workspace[], guardrail: Guardrail | undefined) =>
  all.find(({ id }) => id === guardrail?.workspace_id)?.name

type GuardrailDetailsProps = {
  guardrailId: string
  guardrail: Guardrail | undefined
  savedPolicy: Policy
  /** The name of the workspace whose default it is. */
  defaultOf: string | undefined
  /** The name of its workspace, if there are several. */
  workspace?: string | undefined
  canChange: boolean
  onReload: () => void
}

function GuardrailDetails({
  guardrailId,
  guardrail,
  savedPolicy,
  defaultOf,
  workspace,
  canChange,
  onReload,
}: GuardrailDetailsProps) {
  const { route } = useLocation()
  const [draft, setDraft] = useDraft<{ base: Guardrail | undefined; policy: Policy }>(guardrailId)
  /** Changes when the form must be filled again. */
  const [formVersion, setFormVersion] = useState(0)
  const policy = draft?.policy ?? savedPolicy
  /** The guardrail on which the draft is based. */
  const base = draft ? draft.base : guardrail
  const basePolicy = base ? policyOf(base) : savedPolicy
  const isChanged = changesBetween(basePolicy, policy).length > 0
  const isOutdated = draft !== undefined && etagOf(base) !== etagOf(guardrail)
  const setPolicy = (next: Policy | undefined) => setDraft(next && { base, policy: next })
  /** Sets a policy that the form does not show yet; undefined discards the draft. */
  const replacePolicy = (other: Policy | undefined) => {
    setPolicy(other)
    setFormVersion((previous) => previous + 1)
  }
  const onSaved = () => {
    replacePolicy(undefined)
    onReload()
  }
  const merge = () => {
    setDraft({ base: guardrail, policy: mergeFields(basePolicy, policy, savedPolicy) })
    setFormVersion((previous) => previous + 1)
  }
  useShortcuts([{ key: 'Escape', description: 'back to the list', onPress: () => route('/guardrails') }])
  return (
    <>
      <Head {...{ guardrailId, guardrail, policy: savedPolicy, defaultOf, workspace, canChange }} />
      <Effect policy={policy} isChanged={isChanged} />
      {canChange && (
        <div class="guardrail-columns">
          <Editor key={`${formVersion} ${base?.updated_at}`} policy={policy} onChange={setPolicy} />
          <div class="guardrail-side">
            {isOutdated && (
              <Conflict name="The guardrail" changes={changesBetween(basePolicy, savedPolicy)} onMerge={merge} />
            )}
            {isChanged && (
              <UnsavedChanges
                guardrailId={guardrailId}
                base={base}
                savedPolicy={basePolicy}
                policy={policy}
                isOutdated={isOutdated}
                onDiscard={() => replacePolicy(undefined)}
                onSaved={onSaved}
                onReload={onReload}
              />
            )}
            <TryText guardrailId={guardrailId} savedPolicy={savedPolicy} policy={policy} />
            <GuardrailReplay guardrailId={guardrailId} savedPolicy={savedPolicy} policy={policy} />
          </div>
        </div>
      )}
      {!canChange && <GuardrailReplay guardrailId={guardrailId} savedPolicy={savedPolicy} policy={policy} />}
      {guardrail && (
        <Assignments
          guardrailId={guardrailId}
          workspaceId={guardrail.workspace_id}
          defaultOf={defaultOf}
          canChange={canChange}
        />
      )}
      <History
        guardrailId={guardrailId}
        version={guardrail?.updated_at}
        onRestore={canChange ? replacePolicy : undefined}
      />
    </>
  )
}

type HeadProps = Pick<GuardrailDetailsProps, 'guardrailId' | 'guardrail' | 'defaultOf' | 'workspace' | 'canChange'> & {
  policy: Policy
}

function Head({ guardrailId, guardrail, policy, defaultOf, workspace, canChange }: HeadProps) {
  return (
    <>
      <header>
        <Heading>{policy.name}</Heading>
        {defaultOf !== undefined && <span class="dim">Applies to the whole workspace {defaultOf}</span>}
        {defaultOf === undefined && workspace !== undefined && <span class="dim">Workspace: {workspace}</span>}
        {guardrail && (
          <span class="dim">
            Updated <RelativeTime time={guardrail.updated_at} />
          </span>
        )}
        <a class="button" href={`/requests?guardrail_id=${guardrailId}`}>
          Requests
        </a>
        {canChange && guardrail && defaultOf === undefined && <DeleteGuardrail guardrail={guardrail} />}
      </header>
      {policy.description && <p class="dim">{policy.description}</p>}
      {guardrail && guardrail.limit_usd !== null && (
        <p>
          <LimitUsage guardrail={guardrail} />
          {guardrail.resets_at && (
            <span class="dim">
              , resets <RelativeTime time={guardrail.resets_at} />
            </span>
          )}
        </p>
      )}
      {guardrail && (guardrail.limit_usd !== null || guardrail.group_limits !== null) && (
        <AlertThresholds kind="guardrail" targetId={guardrailId} canChange={canChange} />
      )}
      {guardrail?.spenders && guardrail.spenders.length > 0 && <Spenders spenders={guardrail.spenders} />}
      {guardrail?.group_spending && guardrail.group_spending.length > 0 && (
        <GroupSpending groups={guardrail.group_spending} />
      )}
    </>
  )
}

const maxSpenders = 3

/** The members and keys that have spent the most. The limit applies to each of them separately. */
function Spenders({ spenders }: { spenders: NonNullable<Guardrail['spenders']> }) {
  return (
    <p class="dim">
      The limit applies to each member and key separately. Highest spending:{' '}
      {spenders.slice(0, maxSpenders).map(({ kind, user_id, key_hash, name, spent_usd, unconfirmed_usd }, index) => (
        <span key={`${kind} ${user_id ?? key_hash}`}>
          {index > 0 && ', '}
          {kind} {name ?? 'deleted'} <Usd amount={spent_usd + unconfirmed_usd} />
        </span>
      ))}
    </p>
  )
}

/** The sessions and tag values that have spent the most of their limits. */
function GroupSpending({ groups }: { groups: NonNullable<Guardrail['group_spending']> }) {
  return (
    <div class="parts">
      <BudgetTable
        label="Sessions and tags with the highest spending"
        firstColumn="session or tag"
        rows={groups.map(({ by, tag_name, value, ...amounts }) => ({
          ...amounts,
          id: `${by} ${tag_name} ${value}`,
          name: by === 'session' ? `Session ${value}` : `${tag_name}: ${value}`,
        }))}
      />
    </div>
  )
}

function Effect({ policy, isChanged }: { policy: Policy; isChanged: boolean }) {
  const sentences = describePolicy(policy)
  return (
    <section id="effect" aria-label="Effect">
      <h2>{isChanged ? 'Effect with changes' : 'Effect'}</h2>
      {sentences.length === 0 ? (
        <p>No restrictions.</p>
      ) : (
        <ul class="guardrail-effect">
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </section>
  )
}
