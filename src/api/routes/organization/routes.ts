import type { Route } from '../route.ts'
import { addOrganizationMember } from './add-member.ts'
import { getOrganizationRoute } from './get.ts'
import { giveUpInternHost } from './give-up-intern-host.ts'
import { listOrganizationMembers } from './list-members.ts'
import { moveInternHost } from './move-intern-host.ts'
import { removeOrganizationMember } from './remove-member.ts'
import { updateOrganization } from './update.ts'
import { updateOrganizationMember } from './update-member.ts'

export const organizationRoutes = {
  getOrganization: getOrganizationRoute,
  updateOrganization,
  listOrganizationMembers,
  addOrganizationMember,
  updateOrganizationMember,
  removeOrganizationMember,
  giveUpInternHost,
  moveInternHost,
} satisfies Record<string, Route>
