import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Home, Selection, SelectionStatus } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { Listing } from '../../ui/listing.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { ChangeSelectionDialog } from './change-selection.tsx'
import { HomeOptions } from './home-options.tsx'
import { findHomeLock, findSelectionLock, isOverdue, type SelectionPlace } from './selection-lock.ts'
import { SelectionStatusDialog } from './selection-status.tsx'

/** The maximum number of selections that the totals and the list of options take into account. A home has fewer. */
const MAX_SELECTIONS = 200
/** The maximum number of buyer changes of a sale that are read. A sale has fewer. */
const MAX_CHANGES = 200

const FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.selection).map(([value, { word }]) => ({ value, label: word })),
  },
]

/** A dialog that is open for a selection. */
type OpenDialog = { selection: Selection; to: SelectionStatus | 'change' }

/** Shows the selections of a home with their effect on its price, and the options that can still be chosen. */
export function HomeSelections({ home }: { home: Home }) {
  const can = useCan()
  const { today } = useFormats()
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const all = useListPage('/api/ext/selections', { homeId: home.id, limit: MAX_SELECTIONS })
  const selections = all.data?.data
  const changes = plumbline.useQuery(
    'get',
    '/api/ext/sales/{saleId}/changes',
    { params: { path: { saleId: home.saleId ?? '' }, query: { limit: MAX_CHANGES } } },
    { enabled: home.saleId !== null && can('sales:read') },
  )
  const openChanges = (changes.data?.data ?? []).filter(({ status }) => status === 'draft' || status === 'sent')
  const place: SelectionPlace = { home, today: today(), openChanges }
  const lock = findHomeLock(home)
  return (
    <div className="stack">
      {lock !== null && (
        <div className="banner">
          <Icon name="lock" />
          <span>Selections are locked: {lock}.</span>
        </div>
      )}
      <PriceSummary home={home} selections={selections ?? []} today={place.today} />
      <SelectionList place={place} onOpen={setOpen} />
      {lock === null && <HomeOptions home={home} selections={selections} today={place.today} />}
      {open?.to === 'change' && (
        <ChangeSelectionDialog place={place} selection={open.selection} onClose={() => setOpen(null)} />
      )}
      {open !== null && open.to !== 'change' && (
        <SelectionStatusDialog
          place={place}
          selection={open.selection}
          to={open.to}
          key={open.to}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  )
}

function PriceSummary({ home, selections, today }: { home: Home; selections: readonly Selection[]; today: string }) {
  const { cents, difference } = useFormats()
  const pending = selections.filter(({ status }) => status === 'pending')
  const overdue = pending.filter((selection) => isOverdue(selection, today))
  const undecided = pending.reduce((sum, selection) => sum + (selection.difference ?? 0), 0)
  return (
    <Panel title="Price">
      <KeyValues
        facts={[
          ['Base price', home.basePrice === null ? 'not set' : cents(home.basePrice)],
          ['Approved selections', difference(home.optionsTotal)],
          ['Price of the home', <strong key="price">{home.price === null ? 'not known' : cents(home.price)}</strong>],
          [
            'Awaiting a decision',
            pending.length === 0 ? 'none' : `${formatCount(pending.length, 'selection')}, ${difference(undecided)}`,
          ],
          [
            'Overdue',
            overdue.length === 0 ? (
              'none'
            ) : (
              <span className="tone-bad" key="overdue">
                {formatCount(overdue.length, 'selection')}
              </span>
            ),
          ],
          ...(home.saleId === null
            ? []
            : [
                [
                  'Sale',
                  <Link key="sale" to={`/sales/${home.saleId}`}>
                    {home.contractPrice === null ? 'not approved yet' : cents(home.contractPrice)}
                  </Link>,
                ] as const,
              ]),
        ]}
      />
    </Panel>
  )
}

function SelectionList({ place, onOpen }: { place: SelectionPlace; onOpen(dialog: OpenDialog): void }) {
  const can = useCan()
  const { money, difference, day, left } = useFormats()
  const columns: readonly Column<Selection>[] = [
    {
      head: 'Selection',
      cell: ({ optionId, customDescription, color, location }) => (
        <>
          <span className="lead">
            {optionId === null ? customDescription : <RecordName of="option" id={optionId} isPlain />}
          </span>
          <span className="sub">{[color, location].filter((part) => part !== null).join(', ')}</span>
        </>
      ),
      csv: ({ optionId, customDescription }) =>
        optionId === null ? customDescription : fetchRecordName('option', optionId),
    },
    {
      head: 'Status',
      cell: (selection) => {
        const lock = findSelectionLock(selection, place)
        return (
          <>
            <Status of="selection" is={selection.status} />
            {lock !== null && (
              <span className="sub">
                {lock.isFixed ? 'Locked: ' : ''}
                {lock.word}
              </span>
            )}
          </>
        )
      },
      csv: ({ status }) => STATUS_LOOKS.selection[status].word,
    },
    {
      head: 'Trade',
      isWideOnly: true,
      cell: ({ scope }) => (scope === null ? <EmptyCell word="several" /> : humanizeName(scope)),
      csv: ({ scope }) => scope,
    },
    {
      head: 'Deadline',
      className: 'nowrap',
      cell: (selection) =>
        selection.deadline === null ? (
          <EmptyCell />
        ) : (
          <>
            {day(selection.deadline)}
            {selection.status === 'pending' && (
              <span className={isOverdue(selection, place.today) ? 'sub tone-bad' : 'sub'}>
                {isOverdue(selection, place.today) ? 'overdue' : left(selection.deadline)}
              </span>
            )}
          </>
        ),
      csv: ({ deadline }) => deadline,
    },
    { head: 'Quantity', numeric: true, cell: (row) => formatQuantity(row.quantity), csv: (row) => row.quantity },
    {
      head: 'Cost',
      numeric: true,
      cell: ({ cost }) => (cost === null ? <EmptyCell word="not priced" /> : money(cost)),
      csv: ({ cost }) => cost,
    },
    {
      head: 'Price',
      numeric: true,
      cell: ({ price }) => (price === null ? <EmptyCell word="not priced" /> : money(price)),
      csv: ({ price }) => price,
    },
    {
      head: 'Price change',
      numeric: true,
      cell: (row) => (row.difference === null ? <EmptyCell word="not known" /> : difference(row.difference)),
      csv: (row) => row.difference,
    },
    ...(can('options:write')
      ? [
          {
            head: 'Actions',
            className: 'num',
            cell: (selection: Selection) => <SelectionMenu {...{ place, selection, onOpen }} />,
          },
        ]
      : []),
  ]
  return (
    <Listing
      path="/api/ext/selections"
      nouns={['selection', 'selections']}
      columns={columns}
      keyOf={({ id }) => id}
      sort="createdAt"
      filters={FILTERS}
      query={{ homeId: place.home.id }}
      empty={
        <EmptyState icon="homes" title="No selections yet">
          Options that the buyer chooses appear here with deadline, cost and price.
        </EmptyState>
      }
    />
  )
}

const STATUS_MOVES: Readonly<Record<SelectionStatus, readonly (readonly [to: SelectionStatus, word: string])[]>> = {
  pending: [
    ['approved', 'Approve…'],
    ['declined', 'Remove…'],
  ],
  approved: [
    ['ordered', 'Mark as ordered…'],
    ['cancelled', 'Remove…'],
  ],
  declined: [['pending', 'Reopen…']],
  ordered: [
    ['installed', 'Mark as installed…'],
    ['cancelled', 'Remove…'],
  ],
  installed: [],
  cancelled: [],
}

function SelectionMenu(props: { place: SelectionPlace; selection: Selection; onOpen(dialog: OpenDialog): void }) {
  const { place, selection, onOpen } = props
  const { status } = selection
  const lock = findSelectionLock(selection, place)
  const isFixed = lock?.isFixed === true && status !== 'declined'
  const canChange = !isFixed && status !== 'declined'
  const moves = isFixed || findHomeLock(place.home) !== null ? [] : STATUS_MOVES[status]
  if (!canChange && moves.length === 0) return <EmptyCell word="locked" />
  return (
    <Menu.Root>
      <Menu.Trigger render={<Button small icon="dots" />}>
        Change<span className="sr"> {selection.customDescription ?? ''}</span>
        {selection.optionId !== null && (
          <span className="sr">
            <RecordName of="option" id={selection.optionId} isPlain />
          </span>
        )}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="over" sideOffset={4} align="end">
          <Menu.Popup className="menu">
            {canChange && <Menu.Item onClick={() => onOpen({ selection, to: 'change' })}>Change selection…</Menu.Item>}
            {moves.map(([to, word]) => (
              <Menu.Item key={to} onClick={() => onOpen({ selection, to })}>
                {word}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
