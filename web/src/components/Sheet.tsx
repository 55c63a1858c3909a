import { Table } from "@mantine/core";
import type { ReactNode } from "react";

/** A table on a sheet of paper; scrolls sideways on its own where the screen is narrow. */
export function TableSheet({
  label,
  minWidth = 560,
  children,
}: {
  label: string;
  minWidth?: number;
  children: ReactNode;
}) {
  return (
    <div className="sheet">
      <Table.ScrollContainer
        minWidth={minWidth}
        type="native"
        scrollAreaProps={{ tabIndex: 0, role: "region", "aria-label": label }}
      >
        <Table aria-label={label} highlightOnHover>
          {children}
        </Table>
      </Table.ScrollContainer>
    </div>
  );
}
