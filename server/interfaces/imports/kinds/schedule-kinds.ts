import { sql } from 'kysely'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { createKeyLookup } from '../../../platform/values/typed-keys.ts'
import { type ImportKindDefinition, mapWordsToValues, type RowValues, TEXT_ID } from './import-kind.ts'

const TASK_TYPES = mapWordsToValues({
  work: ['Task', 'Construction'],
  inspection: ['Inspect'],
  delivery: ['Material'],
  milestone: [],
  memo: ['Note'],
})

const SPANISH_HEADS = ['spanishname', 'spanish', 'nameinspanish', 'taskspanish']

export const taskTemplateKind: ImportKindDefinition = {
  kind: 'task_template',
  label: 'Task templates',
  permission: 'tasks:write',
  table: 'taskTemplates',
  operations: {
    ...{ create: 'createTaskTemplate', update: 'updateTaskTemplate', get: 'getTaskTemplate' },
    ...{ archive: 'archiveTaskTemplate', id: 'taskTemplateId', createOnly: [] },
  },
  identifiedBy: [['name']],
  groupedBy: ['name'],
  fields: {
    name: {
      label: 'Template',
      type: 'text',
      isRequired: true,
      heads: ['template', 'templatename', 'schedule', 'schedulename'],
    },
    'row.name': {
      label: 'Task',
      type: 'text',
      isRequired: true,
      heads: ['task', 'taskname', 'activity', 'name', 'description'],
    },
    'row.spanishName': { label: 'Spanish name', type: 'text', heads: SPANISH_HEADS },
    'row.scope': { label: 'Trade', type: 'text', heads: ['trade', 'scope', 'resource'] },
    'row.phase': { label: 'Phase', type: 'text', heads: ['phase', 'stage', 'group'] },
    'row.taskKind': { label: 'Type', type: 'choice', heads: ['type', 'tasktype', 'kind'], choices: TASK_TYPES },
    'row.durationDays': { label: 'Duration (days)', type: 'integer', heads: ['duration', 'durationdays', 'days'] },
    'row.vendorId': { label: 'Vendor', type: 'record', heads: ['vendor', 'vendorname', 'company'] },
    'row.predecessors': {
      label: 'Predecessors',
      type: 'text',
      heads: ['predecessors', 'predecessor', 'dependson', 'after'],
      convert: toLinks,
    },
    planId: { label: 'Plan', type: 'record', heads: ['plan', 'plancode', 'planname'] },
    communityId: { label: 'Community', type: 'record', heads: ['community', 'subdivision', 'project'] },
  },

  toInput(rows) {
    const [{ name, planId, communityId } = {} as RowValues] = rows
    return {
      ...{ name, ...(planId !== undefined && { planId }), ...(communityId !== undefined && { communityId }) },
      rows: rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).flatMap(([field, value]) =>
            field.startsWith('row.') ? [[field.slice('row.'.length), value]] : [],
          ),
        ),
      ),
    }
  },
}

export const taskKind: ImportKindDefinition = {
  kind: 'task',
  label: 'Tasks',
  permission: 'tasks:write',
  table: 'tasks',
  operations: {
    ...{ create: 'createTask', update: 'updateTask', get: 'getTask', archive: 'archiveTask', id: 'taskId' },
    createOnly: ['homeId'],
  },
  identifiedBy: [['id'], ['externalId'], ['homeId', 'name']],
  fields: {
    ...TEXT_ID,
    homeId: {
      label: 'Home',
      type: 'record',
      isRequired: true,
      heads: ['home', 'homename', 'job', 'jobname', 'house', 'lot'],
    },
    name: { label: 'Task', type: 'text', isRequired: true, heads: ['task', 'taskname', 'activity', 'name'] },
    spanishName: { label: 'Spanish name', type: 'text', heads: SPANISH_HEADS },
    scope: { label: 'Trade', type: 'text', heads: ['trade', 'scope'] },
    phase: { label: 'Phase', type: 'text', heads: ['phase', 'stage', 'group'] },
    taskKind: { label: 'Type', type: 'choice', heads: ['type', 'tasktype', 'kind'], choices: TASK_TYPES },
    durationDays: { label: 'Duration (days)', type: 'integer', heads: ['duration', 'durationdays', 'days'] },
    plannedStart: { label: 'Planned start', type: 'date', heads: ['plannedstart', 'start', 'startdate', 'begin'] },
    vendorId: { label: 'Vendor', type: 'record', heads: ['vendor', 'vendorname', 'company'] },
    predecessors: {
      label: 'Predecessors',
      type: 'text',
      heads: ['predecessors', 'predecessor', 'dependson', 'after'],
      convert: toLinks,
    },
    sequence: { label: 'Sequence', type: 'integer', heads: ['sequence', 'order', 'seq'] },
  },
  complete: findPredecessors,
}

interface NamedLink {
  name: string
  type: string
  lagDays: number
  lagUnit: string
}

/** Replaces the names of predecessors with the IDs of tasks in the same home. */
async function findPredecessors(call: WriteCall, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { predecessors, homeId, ...values } = input
  if (!Array.isArray(predecessors)) return input
  const links = predecessors as NamedLink[]
  const { rows } = await sql<{ id: string; name: string }>`
    select "id", "name" from "tasks"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId}
      and "archivedAt" is null`.execute(call.db)
  const find = createKeyLookup(rows, ({ name }) => name)
  const unknown = links.find(({ name }) => find(name) === undefined)
  if (unknown !== undefined) {
    const message = `must name tasks of the home or of earlier rows; "${unknown.name}" is neither`
    throw validationFailed([{ pointer: '/predecessors', code: 'unknown_reference', message }])
  }
  return {
    ...values,
    homeId,
    predecessors: links.map(({ name, ...link }) => ({ taskId: find(name)?.id, ...link })),
  }
}

/**
 * Parses the names of predecessors, separated by semicolons. A type or lag that differs from the default follows the
 * name in brackets: `Framing; Roof [SS+2d]`. A lag in calendar days ends in `ed`, for elapsed days: `Slab [FS+7ed]`.
 */
function toLinks(text: string): unknown {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, name = part, type = 'FS', sign = '+', days = '0', unit = 'd'] =
        /^(.*?)\s*\[(FS|SS|FF|SF)(?:([+-])(\d+)(d|ed)?)?\]$/.exec(part) ?? []
      const lagDays = Number(days) * (sign === '-' ? -1 : 1)
      return { name, type, lagDays, lagUnit: unit === 'ed' ? 'calendar_days' : 'workdays' }
    })
}
