import { useMemo, useState } from 'react'
import type { WarrantyTerm } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { readNumberField, readTextField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { WarrantyTabs } from './warranty-tabs.tsx'

/** Lists the warranty terms, with a form to add and edit terms. */
export function Component() {
  const mayWrite = useCan()('warranty:write')
  const [edited, setEdited] = useState<WarrantyTerm | 'new' | null>(null)
  const columns = useMemo<readonly Column<WarrantyTerm>[]>(
    () => [
      {
        head: 'Term',
        cell: ({ name, text }) => (
          <>
            <span className="lead">{name}</span>
            {text !== null && <span className="sub clip">{text}</span>}
          </>
        ),
        csv: ({ name }) => name,
      },
      { head: 'Duration', cell: ({ months }) => formatCount(months, 'month'), csv: ({ months }) => months },
      {
        head: 'Covers',
        cell: ({ scopes, partIds }) =>
          scopes.length === 0 && partIds.length === 0
            ? 'Everything'
            : [scopes.map(humanizeName).join(', '), partIds.length === 0 ? '' : formatCount(partIds.length, 'part')]
                .filter((part) => part !== '')
                .join(', '),
      },
      ...(mayWrite
        ? [
            {
              head: 'Change',
              cell: (term: WarrantyTerm) => (
                <Button small aria-label={`Edit ${term.name}`} onClick={() => setEdited(term)}>
                  Edit
                </Button>
              ),
            },
          ]
        : []),
    ],
    [mayWrite],
  )
  return (
    <Page
      title="Warranty terms"
      crumbs={[{ name: 'Warranty', to: '/warranty' }, { name: 'Terms' }]}
      actions={
        mayWrite && (
          <Button look="primary" icon="plus" onClick={() => setEdited('new')}>
            Add term
          </Button>
        )
      }
    >
      <div className="page-head">
        <h1>Warranty terms</h1>
        <p>Homes receive these terms at closing. Homes that are already closed keep their current coverage.</p>
      </div>
      <WarrantyTabs />
      <Listing
        path="/api/ext/warranty-terms"
        nouns={['term', 'terms']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        empty={
          <EmptyState icon="homes" title="No warranty terms">
            Without terms, no warranty request is covered.
          </EmptyState>
        }
      />
      {edited !== null && <TermForm term={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Page>
  )
}

function TermForm({ term, onClose }: { term: WarrantyTerm | null; onClose(): void }) {
  const onSuccess = ({ name }: { name: string }) => {
    showToast(`${name} saved`)
    onClose()
  }
  const create = plumbline.useMutation('post', '/api/ext/warranty-terms', { onSuccess })
  const update = plumbline.useMutation('patch', '/api/ext/warranty-terms/{warrantyTermId}', { onSuccess })
  return (
    <FormDialog
      title={term === null ? 'Add warranty term' : `Edit ${term.name}`}
      size="narrow"
      word="Save term"
      change={term === null ? create : update}
      of={term ?? undefined}
      onClose={onClose}
      onSubmit={(form, header) => {
        const trades = (readTextField(form, 'scopes') ?? '').split(',').map((trade) => trade.trim())
        const body = {
          ...{ name: readTextField(form, 'name') ?? '', months: readNumberField(form, 'months') ?? 12 },
          ...{ scopes: trades.filter((trade) => trade !== ''), text: readTextField(form, 'text') ?? null },
        }
        if (term === null) create.mutate({ body: { ...body, partIds: [] } })
        else update.mutate({ params: { path: { warrantyTermId: term.id }, header }, body })
      }}
    >
      <TextField name="name" label="Name" defaultValue={term?.name ?? ''} autoFocus />
      <TextField name="months" label="Months from closing" defaultValue={term?.months ?? 12} />
      <TextField
        name="scopes"
        label="Trades"
        optional
        hint="Separate the trades with commas. Leave empty to cover all trades."
        defaultValue={term?.scopes.join(', ') ?? ''}
      />
      <TextAreaField name="text" label="Text for the owner" optional defaultValue={term?.text ?? ''} />
    </FormDialog>
  )
}
