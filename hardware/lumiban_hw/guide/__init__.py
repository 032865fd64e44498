"""The maker's guide: its pictures, its tables and every number that stands in its pages."""
