import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { declareCall, MAIN_QUERY } from '../../api/page-calls.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { toPlainWords } from '../actions/action-words.ts'
import { actions } from '../actions/actions.gen.ts'
import { runSkill } from '../actions/call-action.ts'
import { canPerformAction } from '../actions/can-perform-action.ts'
import { listUnclearTexts, omitEmptyFields, type Values } from '../actions/entered-values.ts'
import type { InputSchema } from '../actions/input-schema.ts'
import { SchemaFields } from '../actions/schema-fields.tsx'
import { listMissingFields, readReportInput, writeReportInput } from './report-input.ts'
import { ReportResult } from './report-result.tsx'
import { SaveReportDialog } from './save-report-dialog.tsx'
import { SavedReportPanel } from './saved-report-panel.tsx'
import { SAVED_PARAM, useSavedReport } from './saved-reports.ts'

/** Runs a report with the input from the URL, so that the URL can be shared. */
export function Component() {
  const { name = '' } = useParams()
  const can = useCan()
  const action = actions[name]
  const isReport = action !== undefined && action.method === undefined && action.writes !== true
  const isAllowed = isReport && canPerformAction(action, can)
  const skill = plumbline.useQuery(
    'get',
    '/api/ext/skills/{skillName}',
    { params: { path: { skillName: name } } },
    { enabled: isAllowed },
  )
  const title = isReport ? action.label : 'Report'
  return (
    <Page
      title={title}
      crumbs={[{ name: 'Reports', to: '/reports' }, { name: title }]}
      actions={
        <Button small onClick={() => print()}>
          Print
        </Button>
      }
    >
      {!isReport ? (
        <EmptyState icon="search" title="Report not found" />
      ) : !isAllowed ? (
        <EmptyState icon="key" title="Your role does not allow this report" />
      ) : skill.error !== null ? (
        <LoadError what="The report" error={skill.error} onRetry={() => void skill.refetch()} />
      ) : skill.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <Report
          key={name}
          name={name}
          title={title}
          description={skill.data.description}
          inputSchema={skill.data.inputSchema as InputSchema}
          outputSchema={skill.data.outputSchema as InputSchema}
        />
      )}
    </Page>
  )
}

/** The time for which a result is used. After this time, opening the report computes it again. */
const FRESH_MS = 60_000

function Report(props: {
  name: string
  title: string
  description: string
  inputSchema: InputSchema
  outputSchema: InputSchema
}) {
  const { name, title, description, inputSchema, outputSchema } = props
  const { organization } = useSession()
  const [query, setQuery] = useSearchParams()
  const [isSaving, setIsSaving] = useState(false)
  const savedId = query.get(SAVED_PARAM)
  const saved = useSavedReport(savedId)
  const input = readReportInput(inputSchema, query)
  const missing = listMissingFields(inputSchema, input)
  const report = useQuery({
    queryKey: ['report', name, input],
    queryFn: async () => (await runSkill(name, input, crypto.randomUUID())) as Values,
    enabled: missing.length === 0,
    staleTime: FRESH_MS,
    retry: false,
    meta: {
      ...MAIN_QUERY,
      ...declareCall('post', '/api/ext/execute', { body: { skill: name, input, dryRun: false } }),
    },
  })
  return (
    <>
      <div className="page-head">
        <h1>{title}</h1>
        <p>{toPurpose(description)}</p>
        <p className="print-only">{organization.name}</p>
        {missing.length === 0 && (
          <Button small className="no-print" onClick={() => setIsSaving(true)}>
            Save report
          </Button>
        )}
      </div>
      {isSaving && <SaveReportDialog report={name} title={title} input={input} onClose={() => setIsSaving(false)} />}
      {saved !== undefined && <SavedReportPanel saved={saved} input={input} />}
      <ReportOptions
        // If the URL changes, the form starts again with the new input.
        key={query.toString()}
        schema={inputSchema}
        input={input}
        isOpen={missing.length > 0 || report.error !== null}
        error={report.error}
        isPending={report.isFetching}
        onShow={(values) => {
          const next = writeReportInput(values)
          if (savedId !== null) next.set(SAVED_PARAM, savedId)
          if (next.toString() === query.toString()) void report.refetch()
          else setQuery(next)
        }}
      />
      {missing.length > 0 ? null : report.data !== undefined ? (
        <ReportResult result={report.data} schema={outputSchema} name={name} />
      ) : report.error === null ? (
        <SkeletonLines lines={12} />
      ) : null}
    </>
  )
}

function ReportOptions(props: {
  schema: InputSchema
  input: Values
  isOpen: boolean
  error: unknown
  isPending: boolean
  onShow(input: Values): void
}) {
  const { schema, input, isOpen, error, isPending, onShow } = props
  const [values, setValues] = useState<Values>(input)
  const [unclear, setUnclear] = useState<unknown>(null)
  const names = Object.keys(schema.properties ?? {}).filter((field) => field !== 'fields' && field !== 'detail')
  if (names.length === 0) return null
  const submit = () => {
    const errors = listUnclearTexts(values)
    setUnclear(errors.length === 0 ? null : { title: 'Some entries are not clear.', errors })
    if (errors.length === 0) onShow(omitEmptyFields(values) as Values)
  }
  return (
    <Panel title="Options">
      <details className="more" open={isOpen || undefined}>
        <summary>{describeInput(input)}</summary>
        <Form draft={null} error={unclear ?? error} onSubmit={submit}>
          <div className="fields">
            <SchemaFields schema={schema} names={names} values={values} pointer="" onChange={setValues} />
          </div>
          <div className="row">
            <Button look="primary" type="submit" busy={isPending}>
              Show report
            </Button>
          </div>
        </Form>
      </details>
    </Panel>
  )
}

function describeInput(input: Values): string {
  const count = Object.keys(input).length
  return count === 0 ? 'Change the period, community, or other options' : `Options that are set: ${count}`
}

/** Returns the description of a report without the sentences that are meant for agents. */
function toPurpose(description: string): string {
  return toPlainWords(description)
    .split(/(?<=\.)\s/)
    .filter((sentence) => !/^(Use to |Use |Needs |Changes nothing|\d{3} )/.test(sentence))
    .slice(0, 2)
    .join(' ')
}
