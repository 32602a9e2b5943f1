import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { ActionForm } from './action-form.tsx'
import { ActionResult } from './action-result.tsx'
import { toPlainWords } from './action-words.ts'
import { actions } from './actions.gen.ts'
import { canPerformAction } from './can-perform-action.ts'
import { describeRecord, type NamedRecord } from './describe-record.ts'
import type { InputSchema } from './input-schema.ts'
import { useStoredRecord } from './stored-record.ts'

/**
 * Shows a form that is derived from the schema of an operation or a composite skill, and runs it. The query of the page
 * sets fields, such as the record.
 */
export function Component() {
  const { name = '' } = useParams()
  const [query] = useSearchParams()
  const can = useCan()
  const action = actions[name]
  const isAllowed = action !== undefined && canPerformAction(action, can)
  const [result, setResult] = useState<{ of: unknown; key: number } | null>(null)
  const [changes, setChanges] = useState(0)
  const skill = plumbline.useQuery(
    'get',
    '/api/ext/skills/{skillName}',
    { params: { path: { skillName: name } } },
    { enabled: isAllowed },
  )
  const given = Object.fromEntries(query)
  const stored = useStoredRecord(action, given)
  const title = action?.label ?? 'Action'
  const subject = stored.record === null ? undefined : describeRecord(stored.record as NamedRecord).title
  const schema = skill.data?.inputSchema as InputSchema | undefined
  return (
    <Page title={title} crumbs={[{ name: 'Actions', to: '/actions' }, { name: title }]}>
      {action === undefined ? (
        <EmptyState icon="search" title="Action not found" />
      ) : !isAllowed ? (
        <EmptyState icon="key" title="Your role does not allow this action" />
      ) : skill.error !== null ? (
        <LoadError what="The form" error={skill.error} onRetry={() => void skill.refetch()} />
      ) : stored.error !== null ? (
        <LoadError what="The record" error={stored.error} />
      ) : schema === undefined || skill.data === undefined || stored.isPending ? (
        <SkeletonLines lines={8} />
      ) : (
        <>
          <div className="page-head">
            <h1>
              {title}
              {subject !== undefined && `: ${subject}`}
            </h1>
            <p>{toIntroduction(skill.data.description)}</p>
          </div>
          <ActionForm
            // After a change, the form starts again with the stored record.
            key={`${name} ${query.toString()} ${changes}`}
            {...{ name, action, schema, given, stored: stored.record }}
            isChange={skill.data.writes}
            onDone={(of) => {
              setResult({ of, key: (result?.key ?? 0) + 1 })
              if (skill.data.writes) setChanges(changes + 1)
            }}
          />
          {result !== null && <ActionResult key={result.key} of={result.of} title="Result" />}
        </>
      )}
    </Page>
  )
}

/** Matches sentences about requests. Users do not need them, because the form sends the request. */
const FOR_PROGRAMS = /^(Updates the fields that are sent|Null clears|Needs |\d{3} )/

/** Returns the first two sentences of a description. */
function toIntroduction(description: string): string {
  return toPlainWords(description)
    .split(/(?<=\.)\s/)
    .filter((sentence) => !FOR_PROGRAMS.test(sentence))
    .slice(0, 2)
    .join(' ')
}
