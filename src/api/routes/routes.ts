import { listAllActivity } from './activity/list.ts'
import { listActivitySums } from './activity/sums.ts'
import { getAnalyticsMeta } from './analytics/meta.ts'
import { queryAnalytics } from './analytics/query.ts'
import { answerByLink } from './answers/answer.ts'
import { showAnswerPage } from './answers/show.ts'
import { listAudit } from './audit/list.ts'
import { deleteOrganizationBudget, deleteWorkspaceBudget } from './budgets/delete.ts'
import { getOrganizationBudget, getWorkspaceBudget } from './budgets/get.ts'
import { listOrganizationBudgets, listWorkspaceBudgets } from './budgets/list.ts'
import { setOrganizationBudget, setWorkspaceBudget } from './budgets/set.ts'
import { createByok } from './byok/create.ts'
import { deleteByok } from './byok/delete.ts'
import { getByok } from './byok/get.ts'
import { listByok } from './byok/list.ts'
import { updateByok } from './byok/update.ts'
import { getCatalogue } from './catalogue/get.ts'
import { reload } from './catalogue/reload.ts'
import { completionRoutes } from './completions/client-routes.ts'
import { countMessageTokens } from './completions/count-tokens.ts'
import { getCredits } from './credits/get.ts'
import { listDailyRankings } from './datasets/rankings.ts'
import { getEndpointHistory } from './endpoints/history.ts'
import { listEndpoints } from './endpoints/list.ts'
import { listZdrEndpoints } from './endpoints/list-zdr.ts'
import { listEvents } from './events/list.ts'
import { addGenerationFeedback } from './generations/add-feedback.ts'
import { deleteGenerationContent } from './generations/delete-content.ts'
import { getGenerationsExport } from './generations/export.ts'
import { getGeneration } from './generations/get.ts'
import { getGenerationContent } from './generations/get-content.ts'
import { listAllGenerations } from './generations/list.ts'
import { releaseGenerations } from './generations/release.ts'
import { assignKeys } from './guardrails/assign-keys.ts'
import { assignMembers } from './guardrails/assign-members.ts'
import { createOneGuardrail } from './guardrails/create.ts'
import { deleteOneGuardrail } from './guardrails/delete.ts'
import { getOneGuardrail } from './guardrails/get.ts'
import { listAllGuardrails } from './guardrails/list.ts'
import { listAllKeyAssignments } from './guardrails/list-all-key-assignments.ts'
import { listAllMemberAssignments } from './guardrails/list-all-member-assignments.ts'
import { listGuardrailsForModel } from './guardrails/list-for-model.ts'
import { listGuardrailKeyAssignments } from './guardrails/list-key-assignments.ts'
import { listGuardrailMemberAssignments } from './guardrails/list-member-assignments.ts'
import { replayGuardrail } from './guardrails/replay.ts'
import { getGuardrailThresholds, setGuardrailThresholds } from './guardrails/thresholds.ts'
import { tryGuardrail } from './guardrails/try.ts'
import { unassignKeys } from './guardrails/unassign-keys.ts'
import { unassignMembers } from './guardrails/unassign-members.ts'
import { updateGuardrail } from './guardrails/update.ts'
import { getHealth } from './health/get.ts'
import { getLiveness } from './health/live.ts'
import { getReadiness } from './health/ready.ts'
import { getHealthReport } from './health/report.ts'
import { cancelInternRun } from './interns/cancel-run.ts'
import { chatWithIntern } from './interns/chat.ts'
import { chatInInternSession } from './interns/chat-in-session.ts'
import { createOneIntern } from './interns/create.ts'
import { deleteOneIntern } from './interns/delete.ts'
import { deleteInternFile } from './interns/delete-file.ts'
import { getIntern } from './interns/get.ts'
import { getInternLog } from './interns/get-log.ts'
import { getInternQuestion } from './interns/get-question.ts'
import { getInternRules } from './interns/get-rules.ts'
import { getInternRun } from './interns/get-run.ts'
import { getInternSession } from './interns/get-session.ts'
import { giveUpOneIntern } from './interns/give-up.ts'
import { listAllInterns } from './interns/list.ts'
import { listAllQuestions } from './interns/list-all-questions.ts'
import { listInternFiles } from './interns/list-files.ts'
import { listInternHosts } from './interns/list-hosts.ts'
import { listInternQuestions } from './interns/list-questions.ts'
import { listInternRuns } from './interns/list-runs.ts'
import { listInternSessionEvents } from './interns/list-session-events.ts'
import { listInternSessionRequests } from './interns/list-session-requests.ts'
import { listInternSessions } from './interns/list-sessions.ts'
import { createInternFolder } from './interns/make-folder.ts'
import { moveOneIntern } from './interns/move.ts'
import { provisionOneIntern } from './interns/provision.ts'
import { getInternArchive } from './interns/read-archive.ts'
import { getInternFile } from './interns/read-file.ts'
import { renameInternFile } from './interns/rename-file.ts'
import { replayInternRules } from './interns/replay-rules.ts'
import { setInternRules } from './interns/set-rules.ts'
import { suspendOneIntern } from './interns/suspend.ts'
import { updateIntern } from './interns/update.ts'
import { writeInternArchive } from './interns/write-archive.ts'
import { writeInternFile } from './interns/write-file.ts'
import { getCurrentKey } from './key/get.ts'
import { getCurrentKeyByOldPath } from './key/get-by-old-path.ts'
import { createOneKey } from './keys/create.ts'
import { deleteOneKey } from './keys/delete.ts'
import { getOneKey } from './keys/get.ts'
import { listAllKeys } from './keys/list.ts'
import { listKeyBudgets } from './keys/list-budgets.ts'
import { getKeyThresholds, setKeyThresholds } from './keys/thresholds.ts'
import { updateKey } from './keys/update.ts'
import { getMetrics } from './metrics/get.ts'
import { listBenchmarks } from './models/benchmarks.ts'
import { countModels } from './models/count.ts'
import { getModel } from './models/get.ts'
import { listModels } from './models/list.ts'
import { listEmbeddingsModels } from './models/list-embeddings.ts'
import { listModelsForUser } from './models/list-for-user.ts'
import { retrieveModel } from './models/retrieve.ts'
import { createToken } from './oauth/token.ts'
import { addOrganizationMember } from './organization/add-member.ts'
import { getOwnOrganization } from './organization/get.ts'
import { giveUpInternHost } from './organization/give-up-intern-host.ts'
import { listOrganizationMembers } from './organization/list-members.ts'
import { moveInternHost } from './organization/move-intern-host.ts'
import { removeOrganizationMember } from './organization/remove-member.ts'
import { updateOrganization } from './organization/update.ts'
import { updateOrganizationMember } from './organization/update-member.ts'
import { createPasskey } from './passkeys/create.ts'
import { createPasskeyOptions } from './passkeys/create-options.ts'
import { deletePasskeyById } from './passkeys/delete.ts'
import { listPasskeys } from './passkeys/list.ts'
import { createPasskeySignInOptions } from './passkeys/sign-in-options.ts'
import { updatePasskey } from './passkeys/update.ts'
import { designatePresetVersion } from './presets/designate-version.ts'
import { getOnePreset } from './presets/get.ts'
import { getPresetVersion } from './presets/get-version.ts'
import { listAllPresets } from './presets/list.ts'
import { listPresetVersions } from './presets/list-versions.ts'
import { previewPresetVersion } from './presets/preview-version.ts'
import { savePresetFromChat } from './presets/save-from-chat.ts'
import { savePresetFromMessages } from './presets/save-from-messages.ts'
import { savePresetFromResponses } from './presets/save-from-responses.ts'
import { savePresetVersion } from './presets/save-version.ts'
import { updatePreset } from './presets/update.ts'
import { listProviders } from './providers/list.ts'
import type { Route } from './route.ts'
import { createSession } from './sessions/create.ts'
import { createSignInLink } from './sessions/create-link.ts'
import { endOneSession } from './sessions/end.ts'
import { endCurrentSession } from './sessions/end-current.ts'
import { getCurrentSession } from './sessions/get-current.ts'
import { listSessions } from './sessions/list.ts'
import { listSignInMethods } from './sessions/list-methods.ts'
import { getOidcSignIn } from './sessions/oidc.ts'
import { getOidcCallback } from './sessions/oidc-callback.ts'
import { listSettings } from './settings/list.ts'
import { getStatus } from './status/get.ts'
import { createOneWebhook } from './webhooks/create.ts'
import { deleteOneWebhook } from './webhooks/delete.ts'
import { getOneWebhook } from './webhooks/get.ts'
import { listAllWebhooks } from './webhooks/list.ts'
import { listWebhookDeliveries } from './webhooks/list-deliveries.ts'
import { retryWebhookDelivery } from './webhooks/retry-delivery.ts'
import { rotateWebhookSecret } from './webhooks/rotate-secret.ts'
import { testWebhook } from './webhooks/send-test.ts'
import { updateWebhook } from './webhooks/update.ts'
import { addMembersToWorkspace } from './workspaces/add-members.ts'
import { createOneWorkspace } from './workspaces/create.ts'
import { deleteOneWorkspace } from './workspaces/delete.ts'
import { deleteWorkspaceContents } from './workspaces/delete-contents.ts'
import { getOneWorkspace } from './workspaces/get.ts'
import { getWorkspaceInternRules } from './workspaces/get-intern-rules.ts'
import { listAllWorkspaces } from './workspaces/list.ts'
import { listMembersOfWorkspace } from './workspaces/list-members.ts'
import { removeMembersFromWorkspace } from './workspaces/remove-members.ts'
import { replayWorkspaceInternRules } from './workspaces/replay-intern-rules.ts'
import { setWorkspaceInternRules } from './workspaces/set-intern-rules.ts'
import { updateWorkspace } from './workspaces/update.ts'

/**
 * All routes of the public API. Each name is the operation id in the API description: a verb and its object. Generated
 * clients use it as the name of a method, so renaming one breaks them.
 */
const table = {
  getHealth,
  getLiveness,
  getReadiness,
  getHealthReport,
  getMetrics,
  getStatus,
  listSettings,
  listEvents,
  ...completionRoutes,
  countMessageTokens,
  getGeneration,
  getGenerationContent,
  deleteGenerationContent,
  listGenerations: listAllGenerations,
  releaseGenerations,
  addGenerationFeedback,
  listActivitySums,
  listDailyRankings,
  getGenerationsExport,
  listActivity: listAllActivity,
  queryAnalytics,
  getAnalyticsMeta,
  getCredits,
  listModels,
  listModelsForUser,
  countModels,
  listEmbeddingsModels,
  listBenchmarks,
  getModel,
  retrieveModel,
  listEndpoints,
  listZdrEndpoints,
  getEndpointHistory,
  listProviders,
  getCatalogue,
  reloadCatalogue: reload,
  chatWithIntern,
  chatInInternSession,
  listInterns: listAllInterns,
  listQuestions: listAllQuestions,
  listInternHosts,
  createIntern: createOneIntern,
  getIntern,
  updateIntern,
  provisionIntern: provisionOneIntern,
  suspendIntern: suspendOneIntern,
  moveIntern: moveOneIntern,
  giveUpIntern: giveUpOneIntern,
  deleteIntern: deleteOneIntern,
  getInternRules,
  setInternRules,
  replayInternRules,
  listInternQuestions,
  getInternQuestion,
  listInternRuns,
  getInternRun,
  cancelInternRun,
  listInternFiles,
  getInternFile,
  writeInternFile,
  deleteInternFile,
  createInternFolder,
  renameInternFile,
  getInternArchive,
  getInternLog,
  writeInternArchive,
  listInternSessions,
  getInternSession,
  listInternSessionEvents,
  listInternSessionRequests,
  listGuardrails: listAllGuardrails,
  createGuardrail: createOneGuardrail,
  getGuardrail: getOneGuardrail,
  updateGuardrail,
  deleteGuardrail: deleteOneGuardrail,
  replayGuardrail,
  getGuardrailThresholds,
  setGuardrailThresholds,
  tryGuardrail,
  listGuardrailsForModel,
  listKeyAssignments: listAllKeyAssignments,
  listMemberAssignments: listAllMemberAssignments,
  listGuardrailKeyAssignments,
  assignKeys,
  unassignKeys,
  listGuardrailMemberAssignments,
  assignMembers,
  unassignMembers,
  listPresets: listAllPresets,
  getPreset: getOnePreset,
  listPresetVersions,
  getPresetVersion,
  savePresetFromResponses,
  savePresetFromChat,
  savePresetFromMessages,
  savePresetVersion,
  previewPresetVersion,
  updatePreset,
  designatePresetVersion,
  showAnswerPage,
  answerByLink,
  listWebhooks: listAllWebhooks,
  createWebhook: createOneWebhook,
  getWebhook: getOneWebhook,
  updateWebhook,
  deleteWebhook: deleteOneWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
  listProviderKeys: listByok,
  createProviderKey: createByok,
  getProviderKey: getByok,
  updateProviderKey: updateByok,
  deleteProviderKey: deleteByok,
  getCurrentKey,
  getCurrentKeyByOldPath,
  listKeys: listAllKeys,
  createKey: createOneKey,
  getKey: getOneKey,
  listKeyBudgets,
  getKeyThresholds,
  setKeyThresholds,
  updateKey,
  deleteKey: deleteOneKey,
  createSession,
  getCurrentSession,
  listSignInMethods,
  getOidcSignIn,
  getOidcCallback,
  deleteCurrentSession: endCurrentSession,
  listSessions,
  deleteSession: endOneSession,
  createToken,
  createPasskeySignInOptions,
  listPasskeys,
  createPasskeyOptions,
  createPasskey,
  updatePasskey,
  deletePasskey: deletePasskeyById,
  createSignInLink,
  listWorkspaces: listAllWorkspaces,
  createWorkspace: createOneWorkspace,
  getWorkspace: getOneWorkspace,
  updateWorkspace,
  deleteWorkspace: deleteOneWorkspace,
  listWorkspaceMembers: listMembersOfWorkspace,
  bulkAddWorkspaceMembers: addMembersToWorkspace,
  bulkRemoveWorkspaceMembers: removeMembersFromWorkspace,
  listWorkspaceBudgets,
  getWorkspaceBudget,
  setWorkspaceBudget,
  deleteWorkspaceBudget,
  getWorkspaceInternRules,
  setWorkspaceInternRules,
  replayWorkspaceInternRules,
  deleteWorkspaceContents,
  getOrganization: getOwnOrganization,
  updateOrganization,
  listOrganizationBudgets,
  getOrganizationBudget,
  setOrganizationBudget,
  deleteOrganizationBudget,
  listOrganizationMembers,
  addOrganizationMember,
  updateOrganizationMember,
  removeOrganizationMember,
  giveUpInternHost,
  moveInternHost,
  listAuditEvents: listAudit,
} satisfies Record<string, Route>

export const routes: Route[] = Object.entries<Route>(table).map(([operationId, route]) => ({ operationId, ...route }))

export const tags = [
  { name: 'service', description: 'The status and health of the service.' },
  { name: 'completions', description: 'Answers of models from any provider that serves them.' },
  { name: 'usage', description: 'Usage and costs of requests.' },
  { name: 'models', description: 'Models and prices.' },
  { name: 'endpoints', description: 'Endpoints of models, with prices and measurements.' },
  { name: 'providers', description: 'Providers of models.' },
  { name: 'catalogue', description: 'The sources of models, providers and prices.' },
  { name: 'interns', description: 'Long-running agents that ask before they act.' },
  { name: 'guardrails', description: 'Limits on spend, models, providers, regions, retention and content.' },
  { name: 'presets', description: 'Named, versioned configurations of requests.' },
  { name: 'webhooks', description: 'URLs that receive events about interns and limits.' },
  { name: 'byok', description: 'Provider keys of workspaces (BYOK).' },
  { name: 'keys', description: 'The keys of the organization, and the calling one.' },
  { name: 'sessions', description: 'Browser sessions of members.' },
  { name: 'passkeys', description: 'Passkeys with which members sign in.' },
  { name: 'workspaces', description: 'Workspaces: parts of the organization.' },
  { name: 'organization', description: 'The organization and its members.' },
  { name: 'audit', description: 'The audit log of changes.' },
]
