import type {
  Import,
  ImportColumn,
  ImportKindInfo,
  ImportQuestion,
  ImportUpdate,
} from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { queryClient } from '../../api/query-client.ts'
import { Button } from '../../ui/button.tsx'
import { Form, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'

const RECOGNITIONS = {
  heading: 'recognized by its heading',
  content: 'recognized by its content',
  earlier_import: 'as last time',
  person: 'chosen',
} as const

/**
 * Lets the user assign a field to each column of the file. Shows the column's first values and how the service
 * interprets them.
 */
export function ImportColumns({ found, info, isLocked }: { found: Import; info: ImportKindInfo; isLocked: boolean }) {
  const update = plumbline.useMutation('patch', '/api/ext/imports/{importId}', {
    onSettled: () => queryClient.invalidateQueries(),
  })
  const change = (body: ImportUpdate) => update.mutate({ params: { path: { importId: found.id } }, body })
  const isDisabled = isLocked || update.isPending
  const nameOf = ({ head, column }: ImportColumn) => (head === '' ? `Column ${column + 1}` : head)
  const columns: readonly Column<ImportColumn>[] = [
    { head: 'Column', cell: nameOf },
    {
      head: 'Imported as',
      cell: (column) => (
        <>
          <select
            className="input"
            aria-label={`Field for ${nameOf(column)}`}
            value={column.field ?? ''}
            disabled={isDisabled}
            onChange={(event) =>
              change({
                columns: [{ column: column.column, field: event.target.value === '' ? null : event.target.value }],
              })
            }
          >
            <option value="">Not imported</option>
            {info.fields.map(({ field, label, required }) => (
              <option key={field} value={field}>
                {required ? `${label} (required)` : label}
              </option>
            ))}
          </select>
          {column.recognizedBy !== null && <span className="sub">{RECOGNITIONS[column.recognizedBy]}</span>}
        </>
      ),
    },
    {
      head: 'Format',
      cell: (column) => <FormatChoice {...{ column, isDisabled, change }} name={nameOf(column)} />,
    },
    {
      head: 'First values',
      className: 'long',
      cell: ({ samples, field }) =>
        samples.length === 0 ? (
          <EmptyCell word="empty" />
        ) : (
          <span className="clip">
            {samples
              .map(({ text, value }) =>
                field === null || value === null || value === text ? text : `${text} → ${value}`,
              )
              .join(' · ')}
          </span>
        ),
    },
  ]
  return (
    <Panel title="Columns" hint={formatCount(found.columns.length, 'column')} isFlush>
      {(found.questions.length > 0 || update.error !== null) && (
        <div className="body stack">
          <ChangeError error={update.error} />
          {found.questions.map((question) => (
            <Question key={question.message} {...{ question, isDisabled, change }} />
          ))}
        </div>
      )}
      <div className="table-wrap">
        <Table
          caption="Columns of the file"
          columns={columns}
          rows={found.columns}
          keyOf={({ column }) => String(column)}
        />
      </div>
      <FixedValues {...{ found, info, isDisabled, change }} />
    </Panel>
  )
}

/** The choices for a question about the format of a column. */
const ANSWERS = {
  number_format: [
    ['Decimal point: 1,250.50', { numberFormat: 'point' }],
    ['Decimal comma: 1.250,50', { numberFormat: 'comma' }],
  ],
  date_format: [
    ['Month first', { dateFormat: 'mdy' }],
    ['Day first', { dateFormat: 'dmy' }],
  ],
  required_field: [],
} as const

function Question(props: { question: ImportQuestion; isDisabled: boolean; change(body: ImportUpdate): void }) {
  const { question, isDisabled, change } = props
  const { column, code, message } = question
  return (
    <div className="banner" data-tone="warn">
      <Icon name="warn" />
      <div>
        <p>{message}</p>
        {column !== null && (
          <div className="row wrap">
            {ANSWERS[code].map(([word, format]) => (
              <Button
                key={word}
                small
                disabled={isDisabled}
                onClick={() => change({ columns: [{ column, ...format }] })}
              >
                {word}
              </Button>
            ))}
          </div>
        )}
      </div>
    </div>
  )
}

function FormatChoice(props: {
  column: ImportColumn
  name: string
  isDisabled: boolean
  change(body: ImportUpdate): void
}) {
  const { column, name, isDisabled, change } = props
  if (column.numberFormat !== null)
    return (
      <select
        className="input"
        aria-label={`Numbers in ${name}`}
        value={column.numberFormat}
        disabled={isDisabled}
        onChange={(event) =>
          change({
            columns: [{ column: column.column, numberFormat: event.target.value === 'comma' ? 'comma' : 'point' }],
          })
        }
      >
        <option value="point">1,250.50</option>
        <option value="comma">1.250,50</option>
      </select>
    )
  if (column.dateFormat === null) return <EmptyCell word="text" />
  return (
    <select
      className="input"
      aria-label={`Dates in ${name}`}
      value={column.dateFormat}
      disabled={isDisabled}
      onChange={(event) => {
        const dateFormat = (['ymd', 'mdy', 'dmy'] as const).find((each) => each === event.target.value)
        if (dateFormat !== undefined) change({ columns: [{ column: column.column, dateFormat }] })
      }}
    >
      <option value="ymd">2026-11-20</option>
      <option value="mdy">Month first: 11/20/2026</option>
      <option value="dmy">Day first: 20/11/2026</option>
    </select>
  )
}

/** Lets the user set values for all rows, such as the home to which a schedule belongs. */
function FixedValues(props: {
  found: Import
  info: ImportKindInfo
  isDisabled: boolean
  change(body: ImportUpdate): void
}) {
  const { found, info, isDisabled, change } = props
  const mapped = new Set(found.columns.map(({ field }) => field))
  const free = info.fields.filter(({ field }) => !mapped.has(field) && field !== 'id')
  const labels = new Map(info.fields.map(({ field, label }) => [field, label]))
  const set = (form: FormData) => {
    const [field, text] = [readTextField(form, 'field'), readTextField(form, 'text')]
    if (field === undefined || text === undefined) return
    change({ fixedValues: [...found.fixedValues.filter((each) => each.field !== field), { field, text }] })
  }
  return (
    <div className="body stack">
      {found.fixedValues.map(({ field, text }) => (
        <div className="row wrap" key={field}>
          <span>
            {labels.get(field) ?? field} of every row: <strong>{text}</strong>
          </span>
          <Button
            small
            look="quiet"
            disabled={isDisabled}
            onClick={() => change({ fixedValues: found.fixedValues.filter((each) => each.field !== field) })}
          >
            Remove {(labels.get(field) ?? field).toLowerCase()}
          </Button>
        </div>
      ))}
      {!isDisabled && free.length > 0 && (
        <Form draft={null} error={null} onSubmit={set}>
          <div className="row wrap end">
            <SelectField
              name="field"
              label="Field with the same value in every row"
              defaultValue={free.find(({ required }) => required)?.field ?? free[0]?.field ?? ''}
              options={free.map(({ field, label }) => ({ value: field, label }))}
            />
            <TextField name="text" label="Value" />
            <Button type="submit">Add value</Button>
          </div>
        </Form>
      )}
    </div>
  )
}
