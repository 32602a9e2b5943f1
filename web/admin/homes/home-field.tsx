import { useMemo, useState } from 'react'
import type { Drawing, PunchItem } from '../../../client/contract.gen.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { PunchItemForm } from './punch-form.tsx'
import { Walkthroughs } from './walkthroughs.tsx'

const PUNCH_FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.punchItem).map(([value, { word }]) => ({ value, label: word })),
  },
  {
    name: 'priority',
    label: 'Priority',
    options: ['routine', 'before_closing', 'safety'].map((value) => ({ value, label: humanizeName(value) })),
  },
]

/** Lists the home's walkthroughs and punch items, with forms to add them and to verify repairs. */
export function HomePunch({ homeId }: { homeId: string }) {
  const { day } = useFormats()
  const canVerify = useCan()('punch:write')
  const [isNew, setIsNew] = useState(false)
  const columns = useMemo<readonly Column<PunchItem>[]>(
    () => [
      {
        head: 'Item',
        cell: ({ number, location, description }) => (
          <>
            <span className="lead">{[number, location].filter((part) => part !== null).join(', ')}</span>
            <span className="sub">{description}</span>
          </>
        ),
        csv: ({ number, description }) => `${number} ${description}`,
      },
      { head: 'Status', cell: ({ status }) => <Status of="punchItem" is={status} />, csv: ({ status }) => status },
      {
        head: 'Vendor',
        cell: ({ vendorId }) =>
          vendorId === null ? <EmptyCell word="none" /> : <RecordName of="vendor" id={vendorId} />,
      },
      {
        head: 'Due',
        cell: ({ dueDate }) => (dueDate === null ? <EmptyCell word="none" /> : day(dueDate)),
        csv: ({ dueDate }) => dueDate,
      },
      {
        head: 'Priority',
        cell: ({ priority }) => humanizeName(priority),
        csv: ({ priority }) => priority,
        isWideOnly: true,
      },
      ...(canVerify
        ? [
            {
              head: 'Check',
              cell: (item: PunchItem) => (item.status === 'fixed' ? <VerifyButton item={item} /> : null),
            },
          ]
        : []),
    ],
    [day, canVerify],
  )
  return (
    <>
      <Walkthroughs homeId={homeId} />
      <Listing
        path="/api/ext/punch-items"
        nouns={['punch item', 'punch items']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        searchIn="Number, room, or description"
        filters={PUNCH_FILTERS}
        query={{ homeId }}
        empty={
          <EmptyState icon="orders" title="No punch items yet">
            Walk through the home and record what is to be fixed.
          </EmptyState>
        }
        aside={
          canVerify && (
            <Button icon="plus" onClick={() => setIsNew(true)}>
              Add punch item
            </Button>
          )
        }
      />
      {isNew && <PunchItemForm homeId={homeId} onClose={() => setIsNew(false)} />}
    </>
  )
}

function VerifyButton({ item }: { item: PunchItem }) {
  const change = plumbline.useMutation('post', '/api/ext/punch-items/{punchItemId}/status', {
    onSuccess: ({ number }) => showToast(`${number} verified`),
  })
  const { id: punchItemId, number } = item
  return (
    <Button
      small
      busy={change.isPending}
      aria-label={`Verify ${number}`}
      onClick={() => change.mutate({ params: { path: { punchItemId } }, body: { status: 'verified' } })}
    >
      Verify
    </Button>
  )
}

/** Lists the drawings of the home and of its plan. */
export function HomeDrawings({ homeId }: { homeId: string }) {
  const { day } = useFormats()
  const columns = useMemo<readonly Column<Drawing>[]>(
    () => [
      {
        head: 'Sheet',
        cell: ({ sheetNumber, title }) => (
          <>
            <span className="lead">{sheetNumber}</span>
            <span className="sub">{title}</span>
          </>
        ),
        csv: ({ sheetNumber }) => sheetNumber,
      },
      { head: 'Discipline', cell: ({ discipline }) => humanizeName(discipline), isWideOnly: true },
      {
        head: 'Revision',
        cell: ({ revisions: [current] }) =>
          current === undefined ? (
            <EmptyCell word="none" />
          ) : (
            <a href={`${root}/api/ext/attachments/${current.attachmentId}/content`}>
              {`${current.label}, ${day(current.issuedDate)}`}
            </a>
          ),
        csv: ({ revisions: [current] }) => current?.label ?? null,
      },
      { head: 'Trades', cell: ({ scopes }) => (scopes.length === 0 ? 'All' : scopes.map(humanizeName).join(', ')) },
    ],
    [day],
  )
  return (
    <Listing
      path="/api/ext/homes/{homeId}/drawings"
      place={{ homeId }}
      nouns={['drawing', 'drawings']}
      columns={columns}
      keyOf={({ id }) => id}
      sort="-createdAt"
      empty={
        <EmptyState icon="orders" title="No drawings yet">
          Add sheets to the plan of the home, or to the home itself.
        </EmptyState>
      }
    />
  )
}
