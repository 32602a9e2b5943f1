import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { ExecutionRecord } from '../../../../client/contract.gen.ts'
import { ActorName } from '../../../ui/actor-name.tsx'
import { Status } from '../../../ui/badge.tsx'
import type { Filter } from '../../../ui/filter.tsx'
import { humanizeName } from '../../../ui/humanize-name.ts'
import { Listing } from '../../../ui/listing.tsx'
import { Page } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { STATUS_LOOKS } from '../../../ui/status-styles.ts'
import type { Column } from '../../../ui/table.tsx'
import { formatCount } from '../../../ui/text-formats.ts'
import { TimeText } from '../../../ui/time.tsx'
import { ViewTabs } from '../../../ui/view-tabs.tsx'
import { humanizeSkill, SkillTitle } from '../../agents/skill-title.tsx'

const TABS = ['status'] as const
const STATUSES = ['done', 'refused', 'failed'] as const
/** The polling interval. Executions that change nothing have no events that could announce them. */
const REFRESH_MS = 20_000

const COLUMNS: readonly Column<ExecutionRecord>[] = [
  {
    head: 'Skill',
    className: 'long',
    cell: (run) => (
      <>
        <Link className="lead" to={`/settings/runs/${run.id}`}>
          <RunTitle of={run} />
        </Link>
        <span className="sub mono clip">{run.skills.join(', ')}</span>
      </>
    ),
    csv: ({ skills }) => skills.join(' '),
  },
  {
    head: 'Outcome',
    cell: (run) => (
      <>
        <Status of="run" is={run.status} />
        <span className="sub">{describeEffect(run)}</span>
      </>
    ),
    csv: ({ status }) => STATUS_LOOKS.run[status].word,
  },
  { head: 'Problem', isOnlyExported: true, cell: () => null, csv: ({ problem }) => problem },
  { head: 'Dry run', isOnlyExported: true, cell: () => null, csv: ({ dryRun }) => String(dryRun) },
  {
    head: 'Run by',
    cell: ({ createdBy }) => <ActorName of={createdBy} />,
    csv: ({ createdBy }) => createdBy.id ?? createdBy.type,
  },
  {
    head: 'Duration',
    numeric: true,
    className: 'nowrap',
    isWideOnly: true,
    cell: ({ durationMs }) => `${durationMs} ms`,
    csv: ({ durationMs }) => durationMs,
  },
  {
    head: 'When',
    sort: 'createdAt',
    className: 'nowrap',
    cell: ({ createdAt }) => <TimeText at={createdAt} />,
    csv: ({ createdAt }) => createdAt,
  },
  { head: 'Request', isOnlyExported: true, cell: () => null, csv: ({ requestId }) => requestId },
]

/** Lists skill executions by agents and programs, with their outcomes. */
export function Component() {
  const [params] = useSearchParams()
  const [skill, actorId] = [params.get('skill'), params.get('actorId')]
  const filters = useMemo<readonly Filter[]>(
    () => [
      ...(skill === null
        ? []
        : [{ name: 'skill', label: 'Skill', options: [{ value: skill, label: humanizeSkill(skill) }] }]),
      ...(actorId === null
        ? []
        : [{ name: 'actorId', label: 'Run by', options: [{ value: actorId, label: actorId }] }]),
    ],
    [skill, actorId],
  )
  return (
    <Page title="Skill runs" crumbs={[{ name: 'Settings' }, { name: 'Skill runs' }]}>
      <div className="page-head">
        <h1>Skill runs</h1>
        <p>Skill runs by agents, programs, and users, with input and result. Dry runs and denied runs are included.</p>
      </div>
      <ViewTabs
        label="Skill runs"
        name="status"
        views={[
          { value: undefined, word: 'All' },
          ...STATUSES.map((value) => ({ value, word: STATUS_LOOKS.run[value].word })),
        ]}
      />
      <Listing
        path="/api/ext/executions"
        nouns={['run', 'runs']}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        sort="-createdAt"
        everyMs={REFRESH_MS}
        filters={filters}
        tabs={TABS}
        empty={
          <EmptyState icon="agent" title="No skill runs yet">
            Skills that agents run over MCP or the API appear here within seconds.
          </EmptyState>
        }
      />
    </Page>
  )
}

/** Shows the title of the skill or, for several skills, of the first one. */
export function RunTitle({ of: { skill, skills } }: { of: Pick<ExecutionRecord, 'skill' | 'skills'> }) {
  const [first = skill, ...others] = skills
  return (
    <>
      <SkillTitle of={first} />
      {others.length > 0 && `, and ${formatCount(others.length, 'more step')}`}
    </>
  )
}

/** Summarizes how an execution changed the builder's records. */
export function describeEffect({ status, problem, dryRun, changed }: ExecutionRecord): string {
  if (status !== 'done') return humanizeName(problem ?? '').toLowerCase()
  return dryRun ? 'dry run' : changed ? 'changes made' : 'read only'
}
