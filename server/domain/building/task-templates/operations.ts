import type { AppliedTemplate, TaskTemplate } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { conflict, unknownReference } from '../../../platform/problems/problem.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as plans from '../../land/plans/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { lockScheduleToAdd } from '../tasks/cascade.ts'
import { toScheduleSheet } from '../tasks/schedule-sheet.ts'
import { makeSchedules } from './make-schedules.ts'
import * as templates from './queries.ts'
import { requireTemplate, startHomes } from './start-homes.ts'
import * as rules from './template.ts'

export const taskTemplateOperations = {
  async listTaskTemplates({ query }, call) {
    return { status: 200, body: await templates.list(call, query) }
  },

  async createTaskTemplate({ query, body }, call) {
    const template = await call.write(async (call) => {
      const { rows, ...rest } = body
      await assertReferences(call, body)
      return templates.insert(call, { ...rest, ...(await readRows(call, rows, query.createScopes)) })
    })
    return { status: 201, body: template }
  },

  async getTaskTemplate({ path }, call) {
    return { status: 200, body: await templates.find(call, path.taskTemplateId) }
  },

  async updateTaskTemplate({ path, query, body, ifMatch }, call) {
    const template = await call.write(async (call) => {
      const before = await templates.lock(call, path.taskTemplateId)
      assertIfMatch(ifMatch, before)
      const { rows, ...rest } = body
      await assertReferences(call, body)
      const changed = rows === undefined ? {} : await readRows(call, rows, query.createScopes)
      return templates.update(call, before, { ...rest, ...changed })
    })
    return { status: 200, body: template }
  },

  async archiveTaskTemplate({ path, ifMatch }, call) {
    await call.write(async (call) => {
      await templates.archive(call, await templates.lock(call, path.taskTemplateId), ifMatch)
    })
    return { status: 204 }
  },

  async applyScheduleTemplate({ path, body }, call) {
    return { status: 200, body: await call.write((call) => applyTemplate(call, path.homeId, body)) }
  },

  async startHomes({ path, body }, call) {
    return { status: 200, body: await call.write((call) => startHomes(call, path.communityId, body)) }
  },
} satisfies Partial<Handlers>

interface TemplateReferences {
  planId?: string | null | undefined
  communityId?: string | null | undefined
}

async function assertReferences(call: WriteCall, { planId, communityId }: TemplateReferences): Promise<void> {
  if (planId != null) await plans.assertExist(call, [planId], '/planId')
  if (communityId != null) await communities.assertExist(call, [communityId], '/communityId')
}

/** Returns the rows in the form in which they are stored. Throws `validation_failed` if rows are invalid. */
async function readRows(
  call: WriteCall,
  rows: readonly Checked['TaskTemplateRowInput'][],
  createScopes: boolean | undefined,
): Promise<rules.TemplateContent> {
  rules.assertValidRows(rows)
  await assertVendors(call, rows)
  // Detect cycles before creating trades, because a rejected template must not create trades.
  const { taskCount, workdays } = rules.toTemplateContent(rules.toStoredTemplateRows(rows, new Map()))
  const trades = await scopes.findOrCreateTrades(call, rules.listTrades(rows), createScopes)
  const named = rows.flatMap(({ scope }, i) => (scope == null ? [] : [{ pointer: `/rows/${i}/scope`, name: scope }]))
  const problem = scopes.findTradeProblem(call, trades, named)
  if (problem !== null) throw problem
  return { rows: rules.toStoredTemplateRows(rows, trades.spelled), taskCount, workdays }
}

/** Throws unless all vendors exist and work can be assigned to them. */
async function assertVendors(call: WriteCall, rows: readonly Checked['TaskTemplateRowInput'][]): Promise<void> {
  const ids = new Set(rows.flatMap(({ vendorId }) => vendorId ?? []))
  const found = await templates.findVendors(call, [...ids])
  const known = new Set(found.map(({ id }) => id))
  const unknown = rows.flatMap(({ vendorId }, i) =>
    vendorId == null || known.has(vendorId) ? [] : [`/rows/${i}/vendorId`],
  )
  if (unknown.length > 0) throw unknownReference(unknown.slice(0, rules.MAX_ERRORS))
  const archived = found.find(({ archivedAt }) => archivedAt !== null)
  if (archived !== undefined)
    throw conflict('vendor_archived', `Cannot assign rows to ${archived.companyName}: the vendor is archived.`)
}

async function applyTemplate(
  call: WriteCall,
  homeId: string,
  { startDate, taskTemplateId, replace }: Checked['ScheduleTemplateApply'],
): Promise<AppliedTemplate> {
  rules.assertValidStartDate(startDate, '/startDate')
  const schedule = await lockScheduleToAdd(call, homeId)
  const { home, calendar, tasks: before } = schedule
  const reason = rules.explainWhyTasksAreFixed(home, before, replace)
  if (reason !== null) throw conflict('wrong_status', reason)
  const template =
    taskTemplateId === undefined ? await findNearestTemplate(call, home) : await requireTemplate(call, taskTemplateId)
  if (before.length > 0) await homes.archiveSchedule(call, home.id, 'all')
  const [tasks = []] = await makeSchedules(call, [{ home, template, startDate }], calendar, '/startDate')
  return {
    ...{ taskTemplateId: template.id, tasksCreated: tasks.length, tasksArchived: before.length },
    schedule: toScheduleSheet({ ...schedule, tasks }),
  }
}

async function findNearestTemplate(
  call: WriteCall,
  { name, communityId, planId }: { name: string; communityId: string; planId: string | null },
): Promise<TaskTemplate> {
  const chosen = (await templates.findNearestTemplates(call, communityId, [planId])).get(planId)
  if (chosen === undefined)
    throw conflict('missing_data', `No task template matches ${name}. Set taskTemplateId to choose one.`)
  return templates.find(call, chosen.id)
}
