import { Combobox } from '@base-ui/react/combobox'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import type { ControlProps } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { describeRecord, type NamedRecord } from './describe-record.ts'
import type { RecordList } from './input-schema.ts'
import { listRecords, loadRecord } from './load-records.ts'

/** The maximum number of records in the list. Users narrow it by typing. */
const MAX_SHOWN = 50
/** The maximum number of records to read from a list that has no search. The browser then filters them. */
const MAX_READ = 200
/** The time for which names are cached. They rarely change while a form is open. */
const CACHE_MS = 60_000

/** Lets the user choose one or more records by typing a part of their name or number. */
export function RecordChoice(props: {
  control: ControlProps
  list: RecordList
  value: readonly string[]
  isMultiple: boolean
  onChange(ids: readonly string[]): void
}) {
  const { control, list, value, isMultiple, onChange } = props
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const q = useDeferredValue(text.trim())
  const found = useQuery({
    queryKey: ['choices', list.path, list.searches ? q : ''],
    queryFn: () =>
      listRecords(list.path, list.searches ? { limit: MAX_SHOWN, ...(q !== '' && { q }) } : { limit: MAX_READ }),
    staleTime: CACHE_MS,
    enabled: isOpen,
    placeholderData: (before) => before,
  })
  const chosen = useQueries({
    queries: value.map((id) => ({
      queryKey: ['choice', list.path, id],
      queryFn: () => loadRecord(list.path, id),
      staleTime: CACHE_MS,
    })),
    combine: (loads) => loads.flatMap(({ data }) => data ?? []),
  })
  const known = new Map([...chosen, ...(found.data ?? [])].map((record) => [record.id, record]))
  const labelOf = (id: string) => {
    const record = known.get(id)
    return (record === undefined ? undefined : describeRecord(record).title) ?? id
  }
  const ids = (found.data ?? []).map(({ id }) => id)
  const matching = list.searches ? ids : ids.filter((id) => labelOf(id).toLowerCase().includes(q.toLowerCase()))
  const shown = matching.slice(0, MAX_SHOWN)
  const common = {
    items: shown,
    filter: null,
    itemToStringLabel: labelOf,
    onInputValueChange: setText,
    onOpenChange: setIsOpen,
  }
  const options = (
    <Combobox.Portal>
      <Combobox.Positioner className="over above-dialog" sideOffset={4} align="start">
        <Combobox.Popup className="menu options">
          <Combobox.Empty className="muted">{found.isFetching ? 'Searching' : 'Nothing found'}</Combobox.Empty>
          <Combobox.List>
            {(id: string) => (
              <Combobox.Item key={id} value={id}>
                <Choice record={known.get(id)} id={id} />
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  )
  if (isMultiple) {
    return (
      <Combobox.Root multiple {...common} value={[...value]} onValueChange={onChange}>
        <Combobox.Chips className="input chips">
          {value.map((id) => (
            <Combobox.Chip className="chip" key={id}>
              {labelOf(id)}
              <Combobox.ChipRemove aria-label={`Remove ${labelOf(id)}`}>
                <Icon name="x" />
              </Combobox.ChipRemove>
            </Combobox.Chip>
          ))}
          <Combobox.Input {...control} placeholder={value.length === 0 ? 'Type to search' : ''} />
        </Combobox.Chips>
        {options}
      </Combobox.Root>
    )
  }
  return (
    <Combobox.Root {...common} value={value[0] ?? null} onValueChange={(id) => onChange(id === null ? [] : [id])}>
      <Combobox.Input {...control} className="input" placeholder="Type to search" />
      {options}
    </Combobox.Root>
  )
}

function Choice({ record, id }: { record: NamedRecord | undefined; id: string }) {
  if (record === undefined) return <code>{id}</code>
  const { title, detail } = describeRecord(record)
  return (
    <>
      {title ?? <code>{id}</code>} {detail !== '' && <span className="muted">{detail}</span>}{' '}
      {record.status !== undefined && <span className="faint">{humanizeName(record.status)}</span>}
    </>
  )
}
