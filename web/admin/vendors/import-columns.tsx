import type { ReactNode } from 'react'
import { Panel } from '../../ui/panel.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import type { CsvFile } from './csv-file.ts'
import { type ColumnMapping, isVendorField, VENDOR_FIELDS } from './vendor-columns.ts'

/** Enough values to recognize the content of a column. */
const MAX_SAMPLE_VALUES = 3

/** Assigns a field to each column of the file, next to the column's first values. */
export function ImportColumns(props: {
  file: CsvFile
  mapping: ColumnMapping
  isDisabled: boolean
  onChange(mapping: ColumnMapping): void
  actions: ReactNode
}) {
  const { file, mapping, isDisabled, onChange, actions } = props
  const hasName = mapping.includes('companyName')
  const set = (at: number, value: string) =>
    // A field that is assigned to this column is removed from any other.
    onChange(
      mapping.map((field, other) => {
        if (other === at) return isVendorField(value) ? value : ''
        return field === value ? '' : field
      }),
    )
  const rows = file.heads.map((head, at) => ({ at, head: head === '' ? `Column ${at + 1}` : head }))
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { head: 'Column', cell: ({ head }) => head },
    {
      head: 'Imported as',
      cell: ({ at, head }) => (
        <select
          className="input"
          aria-label={`Field for ${head}`}
          value={mapping[at] ?? ''}
          disabled={isDisabled}
          onChange={(event) => set(at, event.target.value)}
        >
          <option value="">not imported</option>
          {Object.entries(VENDOR_FIELDS).map(([field, { word }]) => (
            <option key={field} value={field}>
              {word}
            </option>
          ))}
        </select>
      ),
    },
    {
      head: 'For example',
      className: 'long',
      cell: ({ at }) => {
        const examples = file.rows.flatMap((cells) => cells[at] || []).slice(0, MAX_SAMPLE_VALUES)
        return examples.length === 0 ? <EmptyCell word="empty" /> : <span className="clip">{examples.join(' · ')}</span>
      },
    },
  ]
  return (
    <Panel
      title="The columns"
      hint={`${formatCount(file.heads.length, 'column')}, ${formatCount(file.rows.length, 'row')}`}
      isFlush
      foot={
        <>
          <span>
            {hasName
              ? mapping.includes('externalId')
                ? 'Vendors with a matching external ID are updated. All other rows add a vendor.'
                : 'Without an external ID, every row adds a vendor, even if you import the file again.'
              : 'Choose the column with the company names.'}
          </span>
          <span className="push">{actions}</span>
        </>
      }
    >
      <div className="table-wrap">
        <Table caption="Columns of the file" columns={columns} rows={rows} keyOf={({ at }) => String(at)} />
      </div>
    </Panel>
  )
}
