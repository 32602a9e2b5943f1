import { useState } from 'react'
import type { Bill } from '../../../../client/contract.gen.ts'
import { useCan } from '../../../api/session.ts'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { AddFileDialog, PREVIEWED_TYPES } from '../../files/add-file-dialog.tsx'
import { FileViewer } from '../../files/file-viewer.tsx'

/** Shows the files of a bill beside its fields. */
export function BillFiles({ bill: { id, number } }: { bill: Bill }) {
  const can = useCan()
  const [isAdding, setIsAdding] = useState(false)
  return (
    <Panel
      title="File"
      actions={
        can('bills:write') && (
          <Button small icon="upload" onClick={() => setIsAdding(true)}>
            Add file
          </Button>
        )
      }
    >
      <FileViewer recordId={id} empty="No file yet. Add the invoice as a PDF or a picture." />
      {isAdding && (
        <AddFileDialog recordId={id} name={number} accept={PREVIEWED_TYPES} onClose={() => setIsAdding(false)} />
      )}
    </Panel>
  )
}
