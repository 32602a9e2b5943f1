import { Link, useParams } from 'react-router'
import type { ExecutionRecord } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { ActorName } from '../../../ui/actor-name.tsx'
import { Status } from '../../../ui/badge.tsx'
import { Page } from '../../../ui/page.tsx'
import { KeyValues, Panel } from '../../../ui/panel.tsx'
import { LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { EmptyCell } from '../../../ui/table.tsx'
import { TimeText } from '../../../ui/time.tsx'
import { TitleBlock } from '../../../ui/title-block.tsx'
import { Value, ValueTable } from '../../../ui/value-table.tsx'
import { BATCH, humanizeSkill, listProposedSteps, SkillTitle } from '../../agents/skill-title.tsx'
import { describeEffect, RunTitle } from './runs.tsx'

/** Shows one skill execution: who ran it, its input, and the affected records. */
export function Component() {
  const { executionId = '' } = useParams()
  const run = plumbline.useQuery('get', '/api/ext/executions/{executionId}', { params: { path: { executionId } } })
  const title = run.data === undefined ? 'Skill run' : humanizeSkill(run.data.skills[0] ?? run.data.skill)
  return (
    <Page title={title} crumbs={[{ name: 'Settings' }, { name: 'Skill runs', to: '/settings/runs' }, { name: title }]}>
      {run.error !== null ? (
        <LoadError what="The run" error={run.error} onRetry={() => void run.refetch()} />
      ) : run.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <RunDetails run={run.data} />
      )}
    </Page>
  )
}

function RunDetails({ run }: { run: ExecutionRecord }) {
  const { createdBy, createdAt, durationMs, resourceIds, requestId, skill, input } = run
  const steps = input === null ? [] : listProposedSteps({ skill, input })
  return (
    <>
      <TitleBlock
        name={<RunTitle of={run} />}
        state={<Status of="run" is={run.status} />}
        sub={<code>{skill}</code>}
        facts={[
          { label: 'Run by', value: <ActorName of={createdBy} />, note: <TimeText at={createdAt} /> },
          { label: run.status === 'done' ? 'Effect' : 'Problem', value: describeEffect(run) },
          { label: 'Duration', isFigure: true, value: `${durationMs} ms` },
        ]}
      />
      <div className="cols even">
        <Panel title="Records">
          <KeyValues
            facts={[
              [
                'Records',
                resourceIds.length === 0 ? (
                  <EmptyCell key="none" word="none" />
                ) : (
                  <Value key="records" of={resourceIds} />
                ),
              ],
              ['Request', <code key="request">{requestId}</code>],
              [
                'More',
                <span className="row wrap" key="more">
                  <Link to={`/settings/runs?skill=${skill}`}>All runs of this skill</Link>
                  {createdBy.id !== null && (
                    <Link to={`/settings/runs?actorId=${createdBy.id}`}>All runs by the same caller</Link>
                  )}
                </span>,
              ],
            ]}
          />
        </Panel>
        <div className="stack">
          {input === null && (
            <Panel title="Input">
              <p className="muted">The input is too long to store.</p>
            </Panel>
          )}
          {steps.map((step, at) => (
            <Panel
              key={step.key}
              title={skill === BATCH ? `Step ${at + 1}` : 'Input'}
              hint={skill === BATCH ? <SkillTitle of={step.skill} /> : 'as sent, without secrets'}
              isFlush
            >
              {Object.keys(step.input).length === 0 ? (
                <div className="body muted">No input.</div>
              ) : (
                <ValueTable caption={`Input of ${step.skill}`} of={step.input} />
              )}
            </Panel>
          ))}
        </div>
      </div>
    </>
  )
}
