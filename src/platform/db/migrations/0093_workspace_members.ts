import type { Kysely } from 'kysely'
import { newUuid } from '../../core/id.ts'

type Before = {
  memberships: { organization_id: string; user_id: string; role: string; joined_at: number; left_at: number | null }
  workspaces: { id: string; organization_id: string }
  workspace_members: {
    id: string
    organization_id: string
    workspace_id: string
    user_id: string
    role: string
    source: string
    created_at: number
  }
}

/** The role in each workspace by the role in the organization. */
const workspaceRoles: Record<string, string> = { owner: 'admin', admin: 'admin', viewer: 'viewer' }

/**
 * The members of each workspace and their roles. Before, every member of the organization could use every workspace, so each
 * becomes a member of all of them, with the same rights.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('workspace_members')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('workspace_members_user', ['workspace_id', 'user_id'])
    .execute()
  await db.schema
    .createIndex('workspace_members_of_user')
    .on('workspace_members')
    .columns(['organization_id', 'user_id'])
    .execute()
  await addMembersToAllWorkspaces(db as Kysely<Before>)
}

async function addMembersToAllWorkspaces(db: Kysely<Before>): Promise<void> {
  const rows = await db
    .selectFrom('memberships as m')
    .innerJoin('workspaces as w', 'w.organization_id', 'm.organization_id')
    .where('m.left_at', 'is', null)
    .select(['m.organization_id', 'w.id as workspace_id', 'm.user_id', 'm.role', 'm.joined_at'])
    .execute()
  for (const { role, joined_at, ...member } of rows) {
    const workspaceRole = workspaceRoles[role] ?? 'developer'
    const row = { id: newUuid(), ...member, role: workspaceRole, source: 'manual', created_at: joined_at }
    await db.insertInto('workspace_members').values(row).execute()
  }
}
