import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { queryOf } from '../../api/address/address.ts'
import { useResource } from '../../api/resource.ts'
import type { InternRule, InternRules } from '../../api/types.ts'
import { Conflict } from '../../components/form/conflict.tsx'
import { useDraft } from '../../components/form/drafts.ts'
import { FailureState, Loading } from '../../components/page/page-states.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { RuleList } from './rule-list.tsx'
import { changesBetween, mergeRules } from './rule-words.ts'
import { type RulesOwner, rulesApi } from './rules-owner.ts'
import { RulesReplay } from './rules-replay.tsx'
import { RulesVersion } from './rules-version.tsx'
import { SaveRules } from './save-rules.tsx'

type Props = { owner: RulesOwner; canChange: boolean }

/** The rules of an intern or a workspace, with replay and history. */
export function Rules({ owner, canChange }: Props) {
  const { data, failure, reload } = useResource(`rules of ${owner.id}`, (signal) =>
    rulesApi(owner).read(undefined, { signal }),
  )
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return <Loading />
  return <RulesEditor owner={owner} canChange={canChange} savedRules={data.data} onReload={reload} />
}

function RulesEditor({
  owner,
  canChange,
  savedRules,
  onReload,
}: Props & { savedRules: InternRules; onReload: () => void }) {
  const { path, query, route } = useLocation()
  const [draft, setDraft] = useDraft<{ base: InternRules; rules: InternRule[] }>(owner.id)
  /** Changes when the form must be filled again. */
  const [formVersion, setFormVersion] = useState(0)
  const { base, rules } = draft ?? { base: savedRules, rules: savedRules.rules }
  const changes = changesBetween(base.rules, rules)
  const isOutdated = base.version !== savedRules.version
  const replaceDraft = (other: InternRule[] | undefined, newBase = base) => {
    setDraft(other && { base: newBase, rules: other })
    setFormVersion((before) => before + 1)
  }
  const selectedVersion = Number(query.version) || undefined
  const selectVersion = (version: string) => route(path + queryOf({ ...query, version: version || undefined }), true)
  return (
    <>
      <section aria-label="Rules">
        <h2>{changes.length > 0 ? 'Effect with changes' : 'Effect'}</h2>
        <p class="dim">
          The first matching rule decides. Without a match, <i>manual</i> asks and <i>self-drive</i> continues.{' '}
          {owner.kind === 'intern'
            ? 'The rules of its workspace also apply; the stricter rule decides.'
            : 'These rules apply to all interns of the workspace. Rules of an intern can only restrict further.'}
        </p>
        {rules.length === 0 && <p>No rules.</p>}
        <RuleList
          key={formVersion}
          rules={rules}
          onChange={canChange ? (next) => setDraft({ base, rules: next }) : undefined}
        />
        {!canChange && owner.kind === 'intern' && (
          <p class="dim">Only the creator of the intern can change its rules.</p>
        )}
      </section>
      {draft && isOutdated && (
        <Conflict
          name="The list of rules"
          changes={changesBetween(base.rules, savedRules.rules)}
          onMerge={() => replaceDraft(mergeRules(base.rules, rules, savedRules.rules), savedRules)}
        />
      )}
      {changes.length > 0 && (
        <SaveRules
          owner={owner}
          base={base}
          rules={rules}
          isOutdated={isOutdated}
          onReload={onReload}
          onDiscard={() => replaceDraft(undefined)}
          onSaved={() => {
            replaceDraft(undefined)
            onReload()
          }}
        />
      )}
      <RulesReplay owner={owner} version={savedRules.version} draft={changes.length > 0 ? rules : undefined} />
      {savedRules.version > 0 && (
        <section aria-label="History">
          <h2>
            History{' '}
            <select
              aria-label="Version"
              value={query.version ?? ''}
              onChange={(event) => selectVersion(event.currentTarget.value)}
            >
              <option value="">version {savedRules.version}, current</option>
              {Array.from({ length: savedRules.version - 1 }, (_, index) => savedRules.version - 1 - index).map(
                (version) => (
                  <option key={version} value={version}>
                    version {version}
                  </option>
                ),
              )}
            </select>
          </h2>
          <p class="dim">
            {/* Null only for version 0, which nobody has saved. */}
            Updated <RelativeTime time={savedRules.updated_at!} />
          </p>
          {selectedVersion !== undefined && (
            <RulesVersion
              key={selectedVersion}
              owner={owner}
              version={selectedVersion}
              currentRules={savedRules.rules}
              onRestore={canChange ? (restored) => replaceDraft(restored) : undefined}
            />
          )}
        </section>
      )}
    </>
  )
}
