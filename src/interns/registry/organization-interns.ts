import type { CallerScope } from '#identity/accounts/caller.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Query } from '#platform/db/db.ts'
import { type InternStatus, internStatuses } from './intern.ts'
import { type Intern, toIntern } from './intern-store.ts'

/** The state of an organization's interns on all hosts. */
type OrganizationInterns = {
  counts: Record<InternStatus, number>
  /** The latest interns that failed or could not be removed. */
  failed: Intern[]
  questions: { waiting: number; firstDeadlineAt: number | undefined }
}

const failures = ['failed', 'destroy_failed'] as const
const maxListedFailures = 50

type OrganizationInternsDeps = { db: { query: Query }; now: Now }

export async function readOrganizationInterns(
  { db: { query }, now }: OrganizationInternsDeps,
  { organizationId, workspaceId, isWorkspaceScoped }: CallerScope,
): Promise<OrganizationInterns> {
  const interns = query
    .selectFrom('interns')
    .where('organization_id', '=', organizationId)
    .$if(isWorkspaceScoped, (interns) => interns.where('workspace_id', '=', workspaceId))
  const [counted, failed, waiting] = await Promise.all([
    interns
      .groupBy('status')
      .select((e) => ['status', e.fn.countAll().as('count')])
      .execute(),
    interns
      .where('status', 'in', failures)
      .orderBy('updated_at', 'desc')
      .limit(maxListedFailures)
      .selectAll()
      .execute(),
    interns
      .where('status', '=', 'running')
      .innerJoin('intern_questions as question', 'question.intern_id', 'interns.id')
      .where('question.deadline_at', '>', now())
      .select((e) => [e.fn.countAll().as('waiting'), e.fn.min('question.deadline_at').as('first')])
      .executeTakeFirst(),
  ])
  const zeroCounts = internStatuses.map((status) => [status, 0])
  const counts = [...zeroCounts, ...counted.map(({ status, count }) => [status, Number(count)])]
  return {
    counts: Object.fromEntries(counts) as Record<InternStatus, number>,
    failed: failed.map(toIntern),
    questions: {
      waiting: Number(waiting?.waiting ?? 0),
      firstDeadlineAt: waiting?.first == null ? undefined : Number(waiting.first),
    },
  }
}
