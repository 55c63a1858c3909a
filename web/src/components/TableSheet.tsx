import { Table } from "@mantine/core";
import type { ReactNode } from "react";

/**
 * A table on a sheet of paper. Columns that can be missed on a small screen have `visibleFrom="sm"`;
 * what is still too wide scrolls sideways on its own, by keyboard too.
 */
export function TableSheet({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className="sheet" style={{ overflowX: "auto" }} tabIndex={0} aria-label={label}>
      <Table highlightOnHover aria-label={label}>
        {children}
      </Table>
    </section>
  );
}
